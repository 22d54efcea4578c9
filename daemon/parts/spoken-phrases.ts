/** What every box in English says by itself, whatever its configuration: spoken when the program is installed (scripts/render-prompts.ts). */
import { fixedPhrases } from '../pbx/codes/phrases.ts'
import { wrongChoiceIn } from '../pbx/menus/phrases.ts'
import { recordingPhrase, recordingPhrases } from '../pbx/recording/phrases.ts'
import { ownPhrases } from '../speech/phrases.ts'

const language = 'en-US'

export function spokenPhrases(): string[] {
  return [
    ...ownPhrases(),
    ...fixedPhrases(language).map(({ text }) => text),
    ...recordingPhrases.map((name) => recordingPhrase(language, name).text),
    wrongChoiceIn(language).text,
  ]
}
