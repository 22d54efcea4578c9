/** By what people are told of something: mail and texts, as the parts that tell them see them. Both are durable when they resolve. */

export interface NoticeMail {
  /** Throws ApiError where it is refused. */
  submit(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<unknown>
}

export interface NoticeTexts {
  /** `subject`: what the text belongs to, such as `emergency:<callId>`. */
  sendText(text: { readonly to: string; readonly body: string; readonly subject: string }): Promise<object | { readonly error: string }>
}

export interface NoticeWays {
  /** null where no account is configured. */
  readonly mail: NoticeMail | null
  readonly texts: NoticeTexts
}
