/** People of a box who have signed in, without a browser: they ask with their cookie, as a page does. */
import { request } from 'undici'
import type { Daemon } from './daemon.ts'

export const password = 'seven green lamps over water'

export interface PersonAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
  /** Of an answer in JSON, which may have several lines. */
  readonly lines: readonly any[]
}

export type AskAsPerson = (method: 'GET' | 'POST' | 'DELETE', path: string, sent?: object) => Promise<PersonAnswer>

/** Invites somebody, who sets the password. */
export async function signedIn(daemon: Pick<Daemon, 'http' | 'api'>, login: string, role: string): Promise<AskAsPerson> {
  const { body: made } = await daemon.api('POST', '/api/people', { login, name: login, roles: [role] })
  const { body: invited } = await daemon.api('POST', `/api/people/${made.personId}/invite`)
  const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const body = JSON.stringify({ code: invited.code, password })
  const signed = await request(`${daemon.http}/api/session/setup`, { method: 'POST', headers: own, body })
  const cookie = [signed.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
  await signed.body.dump()
  return async (method, path, sent) => {
    const answer = await request(daemon.http + path, {
      method,
      headers: { ...own, cookie },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
    const text = await answer.body.text()
    const type = String(answer.headers['content-type'])
    return {
      ...{ status: answer.statusCode, type, text },
      get lines() {
        return text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      },
    }
  }
}
