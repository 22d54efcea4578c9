/** The state of speech in one sentence, for `pbx status`: what is missing is a state with its remedy, not a failure. */
import type { SpeechRoleView, SpeechView } from '../schema/speech.ts'

export function speechSummary(view: Pick<SpeechView, 'roles'>): string {
  const of = (role: string): SpeechRoleView | undefined => view.roles.find((candidate) => candidate.role === role)
  const call = of('call')
  const recording = of('recording')
  const voice = of('voice')
  return [
    call && `calls: ${recogniser(call, 'closed grammar only', 'nothing is understood')}`,
    recording && `recordings: ${recogniser(recording, 'no transcripts', 'no transcripts')}`,
    voice && `voice: ${voice.engine === '' ? `none${remedy(voice)}` : voice.engine}`,
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}

function recogniser(role: SpeechRoleView, closed: string, none: string): string {
  if (role.engine === '' || role.vocabulary === 'none') return `${none}${remedy(role)}`
  if (role.vocabulary !== 'closed') return role.engine
  return role.fix === '' ? `${closed}${remedy(role)}` : `${closed} (no speech model: ${role.fix})`
}

/** The reason is for `pbx speech`; here the way out says enough. */
function remedy({ why, fix }: SpeechRoleView): string {
  const hint = fix === '' ? why : fix
  return hint === '' ? '' : ` (${hint})`
}
