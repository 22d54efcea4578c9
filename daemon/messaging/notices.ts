/** Notices to people, by text. */
import { refusalOf, type NoticeWay } from '../base/notice-ways.ts'
import type { Messaging } from './messaging.ts'

export function noticesByText(messaging: Pick<Messaging, 'sendText'>): NoticeWay {
  return {
    mostAttachmentBytes: 0,
    async tell({ to, brief, about }, alongside) {
      const answer = await messaging.sendText({ to, body: brief, subject: about }, alongside, 'calls')
      if ('code' in answer) throw refusalOf(answer.code, answer.error)
    },
  }
}
