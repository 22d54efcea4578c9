/** Ids as people give them: whole, or a part that no other has, such as the 8 characters that a list shows on a terminal. */
import type { StoredKind } from '../../daemon/audit/deeds.ts'
import { CommandError, type Client } from './client.ts'

const whole = /^(CA[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})$/
/** Of a part of one. */
const part = /^(CA)?[0-9a-f-]{4,}$/
const searched = 1000

type Kind = StoredKind | 'callback'

const lists: Readonly<Record<Kind, (box: Client) => Promise<readonly string[]>>> = {
  fax: async (box) => (await box.list<{ faxId: string }>('/api/fax', searched)).map(({ faxId }) => faxId),
  inbox: async (box) => {
    const feeds = ['faxes', 'sms', 'voicemails'].map((feed) => box.get<{ items: { id: string }[] }>(`/api/inbox/newest/${feed}?limit=500`))
    return (await Promise.all(feeds)).flatMap(({ items }) => items.map(({ id }) => id))
  },
  mail: async (box) => (await box.list<{ mailId: string }>('/api/email', searched)).map(({ mailId }) => mailId),
  recording: async (box) =>
    (await box.get<{ recordingId: string }[]>(`/api/voice/recordings?limit=${searched}`)).map(({ recordingId }) => recordingId),
  reminder: async (box) => (await box.list<{ reminderId: string }>('/api/reminders', searched)).map(({ reminderId }) => reminderId),
  sms: async (box) => (await box.list<{ messageId: string }>('/api/sms', searched)).map(({ messageId }) => messageId),
  trace: async (box) => (await box.list<{ callId: string }>('/api/voice/calls', searched)).map(({ callId }) => callId),
  callback: async (box) => (await box.get<{ eventId: string }[]>(`/api/callbacks?limit=${searched}`)).map(({ eventId }) => eventId),
}

/** What is no part of any id is given back as it is: the daemon knows what to say of it. */
export async function wholeId(box: Client, kind: Kind, given: string): Promise<string> {
  return whole.test(given) || !part.test(given) ? given : theOne(given, await lists[kind](box))
}

/** Throws CommandError where several ids have this part. */
export function theOne(given: string, ids: readonly string[]): string {
  const found = ids.filter((id) => id.includes(given))
  if (found.length > 1) throw new CommandError(`${found.length} ids have ${given} in them: give more of it`, { code: 'ambiguous' })
  return found[0] ?? given
}
