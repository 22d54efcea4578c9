/** What a page of the console knows before anybody has signed in. Strangers read it, too. */
export interface Site {
  readonly name: string
  /** BCP 47. */
  readonly language: string
  /** IANA. */
  readonly timeZone: string
  /** ISO 3166. */
  readonly country: string
  /** Whom the clinic calls when something is wrong; '' where nothing is configured. */
  readonly help: string
  /** Seconds that a caller waits before the pages show it in amber; red after twice as long. */
  readonly waitSeconds: number
  /** Whether somebody has a password: without it nobody can sign in. */
  readonly anybody: boolean
}
