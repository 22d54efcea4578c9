/** What the technician's socket needs of the daily ceilings: the part of `services.ts` about them. */

/** One ceiling of the box or of a token, with what was used of it today. */
export interface LimitView {
  readonly of: 'box' | 'token'
  /** Of the token; '' for the box. */
  readonly name: string
  /** `texts` (parts), `faxes`, `callMinutes`, `internationalMinutes`. */
  readonly what: string
  readonly used: number
  readonly most: number
}

export interface LimitsServicesView {
  list(): readonly LimitView[]
  /** Today begins anew, for one token or for everybody. Throws ApiError `not_found`. */
  reset(token: string | undefined, alongside: () => void): Promise<readonly LimitView[]>
}
