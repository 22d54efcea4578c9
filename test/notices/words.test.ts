/** What notices say, in each language and in the time of the site. */
import t from 'tap'
import { faxWords, missedWords, textWords, voicemailWords, type VoicemailFacts } from '../../daemon/notices/words.ts'
import { received, written } from './stage.ts'

t.test('in each language, in the time of the site: nothing is left open, and a text message stays short', (t) => {
  const at = Date.parse('2026-03-02T14:05:11Z')
  const long = { callerName: 'D'.repeat(120), from: '+4930' }
  const message: VoicemailFacts = {
    from: '',
    callerName: '',
    receivedAt: at,
    durationSeconds: 3727,
    transcript: '',
    transcriptStatus: 'empty',
  }
  const setting = { timeZone: 'Europe/Berlin', for: '200', content: true, tooLarge: true }
  const german = voicemailWords(message, { ...setting, tooLarge: false, language: 'de-DE' })
  t.equal(german.brief, 'Sprachnachricht für 200. Von: unterdrückte Nummer. Wann: 02.03.2026, 15:05. Dauer: 1:02:07')
  t.match(german.text, 'Abschrift:\nEs wurde nichts verstanden.')
  const subjects = new Set<string>()
  for (const language of ['fr-FR', 'es-ES', 'en-US', 'it-IT', 'de-DE']) {
    const all = [
      voicemailWords({ ...message, ...long }, { ...setting, language }),
      faxWords({ ...received('x', at), ...long, status: 'partial' }, { ...setting, language }),
      textWords({ ...written('x', at), media: ['a', 'b'] }, { ...setting, language }),
      textWords({ ...written('x', at), media: ['a'], pictureLost: true }, { ...setting, tooLarge: false, language }),
      missedWords([{ ...long, at }], { ...setting, language }),
      missedWords(
        [
          { ...long, at },
          { from: '', callerName: '', at },
        ],
        { ...setting, language },
      ),
    ]
    for (const { text, brief, subject } of all) {
      t.ok(brief.length < 200, `${language}: ${brief}`)
      t.notMatch(`${text}${brief}${subject}`, /[{}]|undefined/, language)
      subjects.add(subject)
    }
    t.match(all[0]!.brief, `${'D'.repeat(60)}, +4930`)
    t.match(all[1]!.text, language === 'en-US' || language === 'it-IT' ? /3:05 PM/ : /15:05/, 'the clock of the site')
  }
  t.equal(subjects.size, 20, 'each language has its own, and Italian is English')
  t.notMatch(voicemailWords({ ...message, transcriptStatus: 'off' }, { ...setting, language: 'en' }).text, 'Transcript')
  t.end()
})
