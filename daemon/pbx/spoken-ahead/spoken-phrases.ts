/** What every box in English says by itself, whatever its configuration: spoken when the program is installed (scripts/render-prompts.ts). */
import { commonPhrases } from '../../speech/common-phrases.ts'
import { fixedSentences, words } from '../../words/words.ts'

export function spokenPhrases(): string[] {
  const { prompts, codes, recording, menus } = words()
  return [...Object.values(prompts), ...commonPhrases(), ...[codes, recording, menus].flatMap(fixedSentences)]
}
