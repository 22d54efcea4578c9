/** Codes that open a mailbox: that of the own phone, and any. */
import type { Call } from '../../calls/call.ts'
import type { Features } from './features.ts'

export interface MailboxCodesOptions {
  /** Not before the first call. */
  readonly mailbox: () => {
    /** Opens a mailbox at a phone; '' asks which. Resolves with a number to call back, or null where the visit is over. */
    open(call: Call, ext: string): Promise<string | null>
  }
}

export function mailboxCodes({ mailbox }: MailboxCodesOptions) {
  return {
    ownMailbox: (call, extension) => mailbox().open(call, extension),
    anyMailbox: (call, _extension, ext) => mailbox().open(call, ext),
  } satisfies Partial<Features>
}
