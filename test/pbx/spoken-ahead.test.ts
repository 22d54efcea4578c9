/** Menus are spoken when the daemon starts: a voice that fails later is not missed. */
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { Menus } from '../../daemon/pbx/menus/menus.ts'
import type { Destinations } from '../../daemon/routing/destinations.ts'
import { PhraseCache } from '../../daemon/speech/cache.ts'
import { Speaker } from '../../daemon/speech/speaker.ts'
import { failureTone } from '../../daemon/speech/prompts.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { SpeechError, type Synthesiser } from '../../drivers/speech.ts'

const say = 'Welcome to Riverside Clinic, where you are in good hands, day and night. For the front desk, press 1.'

t.test('a menu is heard though the voice has failed since the start', async (t) => {
  for (const slow of [false, true]) {
    let works = true
    const engine: Synthesiser = {
      id: 'wire',
      slow,
      check: async () => ({ ok: true, reason: '' }),
      speaks: () => true,
      voices: () => [],
      synthesise: async () => {
        if (!works) throw new SpeechError('engine-failed', 'the voice is gone')
        return Int16Array.from({ length: 8000 }, (_, at) => 3000 * Math.sin(at / 3))
      },
    }
    const speaker = new Speaker({
      engines: [engine],
      language: 'en-US',
      cache: new PhraseCache(1 << 24, null),
      log: createLog({ level: 'silent' }),
    })
    const settings = { extensions: [{ number: '101', password: 'a-long-password' }], menus: [{ id: 'main', say, keys: { 1: '101' } }] }
    const { config } = parseConfig(JSON.stringify(settings), '/srv/pbx/pbxd.yaml')
    const menus = new Menus({
      config,
      destinations: null as unknown as Destinations,
      applications: { takeOver: async () => undefined },
    })
    await menus.warm(speaker)
    works = false
    const heard = async (text: string): Promise<boolean> => {
      const parts = await Promise.all(speaker.prepare({ text, language: 'en-US', callId: `call ${Math.random()}` }).parts)
      return parts.every((part) => 'silenceMs' in part || part.key !== failureTone.key)
    }
    t.ok(await heard(say), `slow: ${slow}`)
    t.ok(await heard('That is not one of the choices.'))
    t.notOk(await heard('Something that no menu says.'), 'the voice is gone indeed')
  }
})
