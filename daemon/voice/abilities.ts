/** What a document asks for that this box cannot do: reported before a caller finds out. */
import type { Abilities } from '../speech/hearing.ts'
import type { GatherParams } from './verbs/gather.ts'
import type { RecordParams } from './verbs/record.ts'
import type { DocumentVerb, Problem } from './verb.ts'

const withoutTranscript: Readonly<Record<string, string>> = {
  'model-missing': 'no model for recordings is installed (pbx models list)',
  'model-unusable': 'the model for recordings cannot be loaded (pbx speech)',
  'switched-off': 'transcripts are switched off (speech.recogniser.recording)',
  'language-unsupported': 'no installed model knows the language (pbx models list)',
}

/** `verbs` of a whole document, in its order. `language`: of the site. */
export function beyondAbilities(verbs: readonly DocumentVerb[], abilities: Abilities, language: string): Problem[] {
  return verbs.flatMap(({ name, params }, index): Problem[] => {
    const at = `/${index}/${name}`
    if (name === 'gather') return gatherWarnings(at, params as unknown as GatherParams, abilities, language)
    if (name === 'record') return recordWarnings(at, params as unknown as RecordParams, abilities, language)
    if (name === 'stream')
      return recordWarnings(at, params as unknown as Pick<RecordParams, 'transcribe' | 'language'>, abilities, language)
    return []
  })
}

function gatherWarnings(at: string, params: GatherParams, abilities: Abilities, site: string): Problem[] {
  if (!params.input.includes('speech')) return []
  const language = params.language ?? site
  const how = abilities.understands(language)
  if (how === 'nothing')
    return [{ path: `${at}/input`, message: `this box does not recognise speech in ${language}: speech is always empty` }]
  if (how === 'any' || (params.hints ?? []).length > 0 || params.numDigits !== undefined) return []
  const message =
    'no model for free speech is installed: without hints or numDigits the box recognises yes, no, digits, days, times and ' +
    'a few menu words; for anything else speech is empty (pbx models list)'
  return [{ path: `${at}/input`, message }]
}

function recordWarnings(at: string, params: Pick<RecordParams, 'transcribe' | 'language'>, abilities: Abilities, site: string): Problem[] {
  if (!params.transcribe) return []
  const { ok, reason } = abilities.transcribes(params.language ?? site)
  if (ok) return []
  const message = `${withoutTranscript[reason] ?? reason}: transcript is always empty, transcriptStatus is off`
  return [{ path: `${at}/transcribe`, message }]
}
