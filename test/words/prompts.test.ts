/** What the box itself says to callers when nothing else can be said, in the language of the site. */
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { PhraseCache } from '../../daemon/speech/cache.ts'
import type { AudioFetcher } from '../../daemon/speech/fetch-audio.ts'
import { Prompts, failureTone } from '../../daemon/speech/prompts.ts'
import { Speaker } from '../../daemon/speech/speaker.ts'
import { SpeechError, type Synthesiser } from '../../drivers/speech.ts'

interface Spoken {
  readonly text: string
  readonly language: string
}

/** A voice that writes down what it is asked to say; `fails`: what it cannot say. */
function recordingVoice(id: string, speaks: readonly string[], fails: (spoken: Spoken) => boolean = () => false) {
  const said: Spoken[] = []
  const voice: Synthesiser = {
    id,
    check: async () => ({ ok: true, reason: '' }),
    speaks: (language) => speaks.includes(language.toLowerCase().split('-')[0]!),
    voices: () => [],
    synthesise: async ({ text, language }) => {
      said.push({ text, language })
      if (fails({ text, language })) throw new SpeechError('engine-failed', 'the voice is gone')
      return Int16Array.from({ length: 800 }, (_, at) => 3000 * Math.sin(at / 3))
    },
  }
  return { voice, said }
}

function promptsOf(language: string, engines: readonly Synthesiser[]): Prompts {
  const speaker = new Speaker({ engines, language, cache: new PhraseCache(1 << 24, null), log: createLog({ level: 'silent' }) })
  return new Prompts({ speaker, fetcher: null as unknown as AudioFetcher, language })
}

const phrases: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  en: {
    apology: /^We are sorry, an application error has occurred\. Goodbye\.$/,
    nobody: /^We are sorry, nobody can take your call/,
    'not-in-service': /^The number you have called is not in service/,
    'one-moment': /^One moment please\.$/,
  },
  de: {
    apology: /^Es tut uns leid.*Auf Wiederhören\.$/,
    nobody: /^Zurzeit kann leider niemand Ihren Anruf annehmen\..*später noch einmal an\. Auf Wiederhören\.$/,
    'not-in-service': /^Die gewählte Nummer ist nicht vergeben\. Auf Wiederhören\.$/,
    'one-moment': /^Einen Moment, bitte\.$/,
  },
  es: {
    apology: /^Lo sentimos.*Adiós\.$/,
    nobody: /^Lo sentimos, en este momento nadie puede atender su llamada\. Llame de nuevo más tarde\. Adiós\.$/,
    'not-in-service': /^El número que ha marcado no está en servicio\. Adiós\.$/,
    'one-moment': /^Un momento, por favor\.$/,
  },
  fr: {
    apology: /^Nous sommes désolés.*Au revoir\.$/,
    nobody: /^Nous sommes désolés, personne ne peut prendre votre appel.*Veuillez rappeler plus tard\. Au revoir\.$/,
    'not-in-service': /^Le numéro que vous avez composé n’est pas en service\. Au revoir\.$/,
    'one-moment': /^Un instant, s’il vous plaît\.$/,
  },
}

/** The text of what a call hears. */
async function heard(prompts: Prompts, prompt: string): Promise<string> {
  const parts = await Promise.all(prompts.prepare({ prompt, callId: 'a' }).parts)
  return parts.map((part) => ('samples' in part && part.key !== failureTone.key ? part.text : 'a tone')).join(' ')
}

t.test('each phrase is said in the language of the site, by a voice of it, ahead and when it is asked for', async (t) => {
  for (const language of ['en-US', 'de-DE', 'es-ES', 'fr-FR', 'fr-CA', 'es-US', 'de-AT', 'en-GB', 'ES-mx'])
    for (const ahead of [true, false])
      for (const [name, wanted] of Object.entries(phrases[language.toLowerCase().split('-')[0]!]!)) {
        const { voice, said } = recordingVoice('polyglot', ['en', 'de', 'es', 'fr'])
        const prompts = promptsOf(language, [voice])
        if (ahead) await prompts.warm()
        const asked = said.length
        t.match(await heard(prompts, name), wanted, `${name} in ${language}`)
        t.equal(said.length > asked, !ahead, 'what was spoken ahead needs no voice any more')
        t.same([...new Set(said.map((one) => one.language))], [language], `${name} by a voice of ${language}`)
      }
})

t.test('a language without words has English, and so has one that no voice can say: nobody hears a tone in its place', async (t) => {
  const finnish = recordingVoice('polyglot', ['fi', 'en'])
  t.match(await heard(promptsOf('fi-FI', [finnish.voice]), 'nobody'), phrases['en']!['nobody'])
  t.same([...new Set(finnish.said.map(({ language }) => language))], ['en-US'])

  const english = recordingVoice('english', ['en'])
  for (const name of Object.keys(phrases['fr']!))
    t.match(await heard(promptsOf('fr-FR', [english.voice]), name), phrases['en']![name], 'no voice speaks French')

  // Each sentence of each phrase fails once: none is said half in one language and half in the other.
  for (const [name, wanted] of Object.entries(phrases['en']!))
    for (const failing of [/^/, /Au revoir/, /Veuillez/]) {
      const broken = recordingVoice('broken', ['fr'], ({ text }) => failing.test(text))
      const text = await heard(promptsOf('fr-CA', [broken.voice, english.voice]), name)
      t.match(text, broken.said.some((said) => failing.test(said.text)) ? wanted : phrases['fr']![name], `${name}, ${failing}`)
    }
  t.equal(await heard(promptsOf('fr-FR', [recordingVoice('gone', ['fr', 'en'], () => true).voice]), 'nobody'), 'a tone')
})
