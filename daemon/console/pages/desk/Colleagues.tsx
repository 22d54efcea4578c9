/** Phones of the house: who is free, who talks, since when; to call, or to send a call to. */
import type { DeskView } from '../../../schema/desk.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { lengthText } from '../../pieces/time.ts'
import { callBack } from '../../pieces/reach-out.ts'
import { me } from '../../frame/session.ts'
import { move } from './calls.ts'
import { destinationOf, lampOf, sorted, type Lamp } from './model.ts'
import { say } from './words.ts'

type Seen = ReturnType<typeof lampOf>

const colours: Readonly<Record<Lamp, string>> = { ring: 'amber', talk: 'blue', dnd: 'red', off: 'muted', free: 'green' }

export function lampText({ lamp, since, forward }: Seen): string {
  if (lamp === 'free' && forward !== null) return say('forwards', { to: forward })
  const word = say(lamp === 'ring' ? 'rings' : lamp === 'talk' ? 'talks' : lamp === 'dnd' ? 'dnd' : lamp === 'off' ? 'phoneOff' : 'free')
  return since === undefined ? word : `${word} ${lengthText(nowMs.value - Date.parse(since))}`
}

const sendText = (to: string): string => say(to.startsWith('voicemail:') ? 'toVoicemail' : 'sendTo')

export function Colleagues({ desk }: { readonly desk: DeskView }) {
  const own = me.value?.extension ?? null
  const all = desk.extensions.map((one) => ({ ...one, seen: lampOf(one, desk.calls), to: destinationOf(one) }))
  const there = all.filter(({ seen }) => seen.lamp !== 'off').length
  const { mine, talk } = sorted(desk, own)
  const call = mine[0] ?? talk
  return (
    <Panel
      title={say('colleagues')}
      class="colleagues"
      aside={<span class="small muted">{say('connected', { n: there, all: all.length })}</span>}
    >
      {all.length === 0 ? <p class="empty">{say('colleaguesEmpty')}</p> : null}
      <ul class="tight">
        {all.map(({ number, name, seen, to }) => (
          <li class="row" key={number}>
            <span class={`lamp ${seen.lamp}`} aria-hidden="true" />
            <span class="num faint">{number}</span>
            <bdi class="grow" title={foreign(name)}>
              {number === own ? say('you') : foreign(name)}
            </bdi>
            <span class={`small nowrap ${seen.forward === null ? colours[seen.lamp] : 'muted'}`}>{lampText(seen)}</span>
            {number === own ? null : (
              <Menu
                label={`${say('sendTo')} ${number}`}
                items={[
                  { text: say('call'), icon: 'phone', run: () => void callBack(number) },
                  ...(call?.deeds?.includes('move') !== true || to === undefined
                    ? []
                    : [{ text: sendText(to), icon: 'send' as const, run: () => move(call.callId, to, foreign(name)) }]),
                ]}
              />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
