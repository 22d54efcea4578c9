/** Ids as people give them: whole, or a part that no other has, such as the 8 characters that a list shows on a terminal. */
import { CommandError, type Client } from './client.ts'

const whole = /^(CA[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})$/
/** Of a part of one. */
const part = /^(CA)?[0-9a-f-]{4,}$/
const searched = 1000

/** Ids that there are, newest first. */
export type Ids = (box: Client) => Promise<readonly string[]>

/** Of a list that comes in pages. `key`: what the id is called in it. */
export const idsIn =
  (path: string, key: string): Ids =>
  async (box) =>
    (await box.list<Readonly<Record<string, string>>>(path, searched)).map((item) => item[key]!)

/** Of a list that is given whole. */
export const idsOf =
  (path: string, key: string): Ids =>
  async (box) =>
    (await box.get<Readonly<Record<string, string>>[]>(`${path}?limit=${searched}`)).map((item) => item[key]!)

export const inboxIds: Ids = async (box) => {
  const feeds = ['faxes', 'sms', 'voicemails'].map((feed) =>
    box.get<{ items: { id: string; media?: { id: string }[] }[] }>(`/api/inbox/newest/${feed}?limit=500`),
  )
  return (await Promise.all(feeds)).flatMap(({ items }) => items.flatMap(({ id, media = [] }) => [id, ...media.map((one) => one.id)]))
}

/** What is no part of any id is given back as it is: the daemon knows what to say of it. */
export async function wholeId(box: Client, ids: Ids, given: string): Promise<string> {
  return whole.test(given) || !part.test(given) ? given : theOne(given, await ids(box))
}

/** Throws CommandError where several ids have this part. */
export function theOne(given: string, ids: readonly string[]): string {
  const found = ids.filter((id) => id.includes(given))
  if (found.length > 1) throw new CommandError(`${found.length} ids have ${given} in them: give more of it`, { code: 'ambiguous' })
  return found[0] ?? given
}
