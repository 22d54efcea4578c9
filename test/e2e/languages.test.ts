/** What callers hear of the box itself, in the language of the site, and in another one after that was changed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { rms } from '../harness/audio.ts'
import { Scene, eventually } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    ;(base['site'] as any).language = 'fr-CA'
    ;(base['voice'] as any).trace = 'full'
    delete (base['voice'] as any).endpoints[0].fallbackDestination
    ;(base['inbound'] as any[]).unshift({ trunk: 'main', to: '+15550001001', destination: '102' })
  },
})
const { app, daemon } = scene
const folder = mkdtempSync(join(tmpdir(), 'pbxd-languages-'))
t.setTimeout(300_000)
t.teardown(async () => {
  await scene.close()
  rmSync(folder, { recursive: true, force: true })
})
t.beforeEach(() => app.reset())

const languages = [
  {
    language: 'fr-CA',
    apology: /une erreur technique est survenue\. Au revoir\./,
    nobody: /personne ne peut prendre votre appel/,
    notInService: /Le numéro que vous avez composé n’est pas en service\./,
    oneMoment: /Un instant, s’il vous plaît\./,
  },
  {
    language: 'es-US',
    apology: /se ha producido un error técnico\. Adiós\./,
    nobody: /nadie puede atender su llamada/,
    notInService: /El número que ha marcado no está en servicio\./,
    oneMoment: /Un momento, por favor\./,
  },
  {
    language: 'de',
    apology: /es ist ein technischer Fehler aufgetreten\. Auf Wiederhören\./,
    nobody: /kann leider niemand Ihren Anruf annehmen/,
    notInService: /Die gewählte Nummer ist nicht vergeben\./,
    oneMoment: /Einen Moment, bitte\./,
  },
  {
    language: 'en-US',
    apology: /an application error has occurred\. Goodbye\./,
    nobody: /nobody can take your call/,
    notInService: /The number you have called is not in service\./,
    oneMoment: /One moment please\./,
  },
]

/** `pbx config apply` of the file with another language. */
async function changeTo(language: string): Promise<void> {
  const config = parse(readFileSync(daemon.configFile, 'utf8')) as { site: { language: string } }
  config.site.language = language
  const next = join(folder, 'next.yaml')
  writeFileSync(next, stringify(config))
  const { code, out, error } = await daemon.pbx('config', 'apply', next, '--yes')
  if (code !== 0) throw new Error(`${out}${error}`)
}

for (const [index, { language, apology, nobody, notInService, oneMoment }] of languages.entries())
  t.test(`${language}: an apology, nobody there, not in service, one moment`, async (t) => {
    if (index > 0) await changeTo(language)

    app.script = () => [{ play: { prompt: 'not-in-service' } }]
    const mistaken = await scene.call()
    t.equal(await mistaken.sip.exit, 0, mistaken.sip.failure())
    await daemon.traced(notInService)
    t.ok(rms(mistaken.rtp.heard()) > 100, 'the caller hears it')

    const unanswered = await scene.call({ to: '+15550001001' })
    t.equal(await unanswered.sip.exit, 0, unanswered.sip.failure())
    await daemon.traced(nobody)
    t.ok(rms(unanswered.rtp.heard()) > 100, 'the caller hears it')

    app.script = (event) =>
      event.event === 'call.inbound.pre_route' ? [{ gather: { numDigits: 1, timeout: 1 } }] : { delayMs: 4500, status: 500, body: '{}' }
    const caller = await scene.call()
    await eventually('the caller waits', async () => app.received.some(({ event }) => event.event === 'gather.completed'))
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    await daemon.traced(oneMoment)
    await daemon.traced(apology)
    await scene.sweep()
  })
