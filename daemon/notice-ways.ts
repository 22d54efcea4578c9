/** By what people are told of something: mail and texts, as the parts that tell them see them. Both are durable when they resolve. */

export interface MailNotice {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachment?: { readonly filename: string; readonly base64: string; readonly decoded: Uint8Array<ArrayBuffer> }
}

export interface NoticeMail {
  /** `alongside` runs in the transaction that makes it durable. Throws ApiError where it is refused. */
  submit(mail: MailNotice, alongside?: () => void): Promise<unknown>
}

export interface TextNotice {
  readonly to: string
  readonly body: string
  /** What the text belongs to, such as `emergency:<callId>`. */
  readonly subject: string
}

export interface NoticeTexts {
  /** `alongside` runs in the transaction that makes it durable. */
  sendText(
    text: TextNotice,
    alongside?: () => void,
  ): Promise<{ readonly messageId: string } | { readonly code: string; readonly error: string }>
}

export interface NoticeWays {
  /** null where no account is configured. */
  readonly mail: NoticeMail | null
  readonly texts: NoticeTexts
}
