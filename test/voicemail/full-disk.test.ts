/** A disk that is nearly full: the caller of a mailbox hears so, and nothing is recorded. */
import t from 'tap'
import type { Call } from '../../daemon/calls/call.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import type { CallEvent } from '../../daemon/schema/events.ts'
import { Voicemail, type VoicemailOptions } from '../../daemon/voicemail/voicemail.ts'

const extensions = [{ number: '101', password: 'a-long-password' }]
const { config } = parseConfig(JSON.stringify({ extensions }), '/srv/pbx/pbxd.yaml')

async function visited(freeBytes: number): Promise<{ verbs: string[]; noted: string[] }> {
  const noted: string[] = []
  const verbs: string[] = []
  const voicemail: Voicemail = new Voicemail({
    config,
    freeBytes: () => freeBytes,
    greetings: { prompt: async () => null },
    talkOver: () => undefined,
    log: { error: () => undefined },
    applications: {
      takeOver: async ({ id }: Call) => {
        const document = await voicemail.respond({ event: 'call.inbound.pre_route', callId: id } as CallEvent)
        verbs.push(...document.flatMap((verb) => Object.keys(verb as object)))
      },
    },
  } as unknown as VoicemailOptions)
  const over = new AbortController().signal
  const note = (_: string, text: string) => noted.push(text)
  const call = { id: 'a call', over, ending: false, settled: new Promise(() => undefined), note } as unknown as Call
  await voicemail.take(call, '101', { signal: over })
  return { verbs, noted }
}

t.test('room enough: the greeting, and a key', async (t) => {
  t.same((await visited(1e9)).verbs, ['say', 'gather'])
})

t.test('no room: an apology alone, and the trace says why', async (t) => {
  const { verbs, noted } = await visited(10e6)
  t.same(verbs, ['say'])
  t.match(noted.join(), /the disk is nearly full/)
})
