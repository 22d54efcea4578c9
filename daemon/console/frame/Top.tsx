/** The top of every page: the clinic, open or closed, search, whether what is shown is live, the person, and the lock. */
import { useState } from 'preact/hooks'
import { Icon } from '../pieces/Icon.tsx'
import { Menu } from '../pieces/Menu.tsx'
import { timeText } from '../pieces/time.ts'
import { Glass } from './Glass.tsx'
import { Hours } from './Hours.tsx'
import { notLiveSince } from './live.ts'
import { go } from './router.ts'
import { Search } from './Search.tsx'
import { lock, me, roles, signOut } from './session.ts'
import { site } from './site.ts'
import { say } from './wording.ts'

export function Top() {
  const person = me.value
  const since = notLiveSince.value
  const [breaks, setBreaks] = useState(false)
  const canBreak = person?.roles.includes('technician') === true && !roles.value.includes('manager')
  return (
    <header class="top">
      <a class="brand" href="/">
        <span class="mark">
          <Icon name="phone" />
        </span>
        <span class="cut">{site.name}</span>
      </a>
      <Hours />
      <Search />
      <span class={`live ${since === undefined ? '' : 'amber'}`} role="status">
        {since === undefined ? say('live') : say('notLive', { time: timeText(since) })}
      </span>
      {person === undefined ? null : (
        <Menu
          label={person.name}
          class="btn quiet me"
          items={[
            { text: say('account'), icon: 'owner', run: () => go('/me') },
            ...(canBreak ? [{ text: say('glassBreak'), icon: 'shield', run: () => setBreaks(true) } as const] : []),
            { text: say('lock'), icon: 'lock', run: () => void lock() },
            { text: say('signOut'), icon: 'right', run: () => void signOut() },
          ]}
        >
          <span class="avatar" aria-hidden="true">
            {initials(person.name)}
          </span>
          <span class="name">
            {person.name} {person.extension === null ? null : <span class="faint num">{person.extension}</span>}
          </span>
        </Menu>
      )}
      <button type="button" class="btn only-wide" onClick={() => void lock()}>
        <Icon name="lock" />
        {say('lock')}
      </button>
      {breaks ? <Glass onClose={() => setBreaks(false)} /> : null}
    </header>
  )
}

function initials(name: string): string {
  const parts = name.split(/\s+/).filter((part) => part !== '')
  return `${Array.from(parts[0] ?? '?')[0] ?? ''}${parts.length > 1 ? (Array.from(parts.at(-1)!)[0] ?? '') : ''}`.toUpperCase()
}
