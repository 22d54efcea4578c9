/** The same application for each adapter, and what the box would post to it. */
import { randomUUID } from 'node:crypto'
import { gather, menu, chosen, Pbxd, record, redirect, say, type Pages } from 'pbxd'
import { signedHeaders } from '../../daemon/base/signing.ts'

export const secret = 'whsec_test_0123456789abcdef'

const choices = { hours: ['1', 'opening hours'], message: ['2', 'leave a message', 'message'] } as const

export function sample(seen: unknown[] = []): Pbxd {
  const pages: Pages = {
    '/voice': {
      'call.inbound.pre_route': () => menu('For our opening hours, press 1. To leave a message, press 2.', choices),
      'gather.completed': (event) => {
        seen.push(event)
        const choice = chosen(event, choices)
        if (choice === 'hours') return [say('We are open from nine to five.'), redirect('/again')]
        return choice === 'message' ? [say('After the tone, please.'), record({ maxSeconds: 60, actionUrl: '/message' })] : say('Sorry.')
      },
      'call.ended': (event) => void seen.push(event.endReason),
    },
    '/again': { 'call.redirected': () => [say('Again.'), gather({ actionUrl: 'https://other.example/x' })] },
    '/message': { 'record.completed': () => Promise.reject(new Error('the disk is full')) },
  }
  return new Pbxd(pages, { secret, onError: (error) => seen.push(String(error)) })
}

export interface Posted {
  readonly status: number
  readonly body: any
}

export async function post(url: string, event: object, key = secret): Promise<Posted> {
  const body = JSON.stringify({ eventId: randomUUID(), ...event })
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...signedHeaders(key, Date.now(), body) },
  })
  const text = await answer.text()
  // What a framework itself answers may be a page for people.
  return { status: answer.status, body: /^[[{]/.test(text) ? JSON.parse(text) : undefined }
}
