/** What the configuration says of recording conversations: which, and how the people in them are notified. */
import type { TUnsafe } from '@sinclair/typebox'
import { Choice } from '../choice.ts'

export const recordPolicies = ['off', 'inbound', 'outbound', 'all'] as const
export type RecordPolicy = (typeof recordPolicies)[number]

export function RecordPolicySchema(description: string): TUnsafe<RecordPolicy> {
  return Choice(recordPolicies, { default: 'off', description })
}

export const recordingNotices = ['announcement', 'beep', 'none'] as const
export type RecordingNotice = (typeof recordingNotices)[number]

export const RecordingNoticeSchema = Choice(recordingNotices, {
  default: 'announcement',
  description:
    'How both parties are notified of the recording: an announcement before they hear each other, a short tone every 15 s, or nothing. Local law decides.',
})
