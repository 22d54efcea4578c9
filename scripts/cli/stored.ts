/** Items that are kept: their ids as people give them (whole, or a part that no other has, such as the 8 characters of a list), and `delete`. */
import type { Command } from 'commander'
import { CommandError, type Client } from './client.ts'
import { finish, group, type Context } from './command.ts'
import { print, printJson } from './output.ts'

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
  if (found.length > 1) throw new CommandError(`${found.length} ids contain ${given}: give more characters`, { code: 'ambiguous' })
  return found[0] ?? given
}

/** What can be deleted, and the ids that exist. */
export interface Deletable {
  /** As in DELETE /api/stored/KIND/ID. */
  readonly kind: string
  readonly ids: Ids
}

/** `delete` of a group of commands. `example`: the words in front of the id. */
export function deleteCommand(item: Deletable, example: string, what: string): Command {
  return finish(
    group('delete', `delete ${what} permanently, with all copies`).argument('<id>', 'the id, or a part that is unique'),
    remove(item),
    [`${example} 019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8`],
  )
}

export function remove({ kind, ids }: Deletable) {
  return async ({ json, client }: Context, id: string): Promise<void> => {
    const box = await client()
    const view = await box.delete<{ deleted: string }>(`/api/stored/${kind}/${encodeURIComponent(await wholeId(box, ids, id))}`)
    if (json) printJson(view)
    else print(`${view.deleted}: deleted, with all copies`)
  }
}
