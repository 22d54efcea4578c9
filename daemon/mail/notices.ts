/** Notices to people, by mail. */
import { ApiError } from '../base/errors.ts'
import { NoticeRefused, refusalOf, type NoticeWay } from '../base/notice-ways.ts'
import { mostAttachmentBytes, type MailDesk } from './desk.ts'

/** `desk`: null where no account is configured. */
export function noticesByMail(desk: Pick<MailDesk, 'submit'> | null): NoticeWay {
  return {
    mostAttachmentBytes,
    async tell({ to, subject, text, about, attachment }, alongside) {
      if (desk === null) throw new NoticeRefused('no mail account is configured')
      const file =
        attachment === undefined ? {} : { attachment: { filename: attachment.filename, base64: '', decoded: attachment.content } }
      try {
        await desk.submit({ to, subject, text, about, ...file }, alongside, attachment === undefined ? 'calls' : 'mail')
      } catch (error) {
        throw error instanceof ApiError ? refusalOf(error.code, error.message, error) : error
      }
    },
  }
}
