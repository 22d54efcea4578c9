/** Around every page: pages at the left, the clinic at the top, what everybody must see above all. */
import { computed, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ownPages } from '../pages/index.ts'
import type { Page } from '../pages/page.ts'
import { Icon } from '../pieces/Icon.tsx'
import { fullTime } from '../pieces/time.ts'
import { Bars } from './Bars.tsx'
import { boxNow } from './clock.ts'
import { house, openItems } from './house.ts'
import { KeyHelp } from './KeyHelp.tsx'
import { useKeys } from './keys.ts'
import { notLiveSince } from './live.ts'
import { go, path } from './router.ts'
import { lock, me } from './session.ts'
import { site } from './site.ts'
import { isStale } from './presence.ts'
import { Toasts } from './Toasts.tsx'
import { Top } from './Top.tsx'
import { figure, language } from './words.ts'
import { boxText, say } from './wording.ts'

const printedAt = signal(boxNow())
addEventListener('beforeprint', () => (printedAt.value = boxNow()))
/** As a signal, it is in the document at once: the browser prints what stands there when it has asked. */
const printFoot = computed(() => `${site.name} · ${say('printed', { person: me.value?.name ?? '', time: fullTime(printedAt.value) })}`)

export function Frame({ children }: { readonly children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null)
  const before = useRef(path.value)
  // With the new page itself: a key that is pressed next, such as that of the search, moves the focus after this.
  useLayoutEffect(() => {
    if (before.current !== path.value) main.current?.focus()
    before.current = path.value
  }, [path.value])
  useKeys({ 'Shift+L': { does: say('lock'), run: () => void lock() } })
  const old = notLiveSince.value !== undefined || isStale.value
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {say('skip')}
      </a>
      <div class="app">
        <Top />
        <Pages />
        <div class="middle">
          <Bars />
          <main id="main" ref={main} tabIndex={-1} class={old ? 'old' : ''}>
            {children}
          </main>
        </div>
      </div>
      <Toasts />
      <KeyHelp />
      <p class="print-foot" aria-hidden="true">
        {printFoot}
      </p>
    </>
  )
}

function Pages() {
  const own = ownPages().filter((page) => page.hidden !== true)
  const title = (page: Page): string => page.title[language.value === 'es' ? 'es' : 'en']
  useKeys(
    Object.fromEntries(
      own.flatMap((page) =>
        page.key === undefined ? [] : [[`g ${page.key}`, { does: say('goTo', { page: title(page) }), run: () => go(page.path) }]],
      ),
    ),
  )
  const at = path.value === '/' ? own[0]?.path : path.value
  const nav = useRef<HTMLElement>(null)
  useLayoutEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [at])
  return (
    <nav ref={nav} class="nav" aria-label={say('pages')}>
      {own.map((page) => {
        const open = openItems(page.name)
        return (
          <a
            key={page.name}
            href={page.path}
            class={page.first === true ? '' : 'extra'}
            aria-current={page.path === at ? 'page' : undefined}
          >
            <Icon name={page.icon} />
            <span>{title(page)}</span>
            {open > 0 ? <span class={`n ${['calls', 'queues'].includes(page.name) ? 'hot' : ''}`}>{figure(open)}</span> : null}
          </a>
        )
      })}
      <BoxState />
    </nav>
  )
}

function BoxState() {
  const box = house.data.value?.box
  if (box === undefined) return null
  return (
    <div class="foot">
      <Icon name={box.ok ? 'check' : 'alert'} />
      <span>
        {box.ok ? say('working') : boxText(box.text)}
        {site.help === '' ? null : <span class="faint">{say('agentHelp', { help: site.help })}</span>}
      </span>
    </div>
  )
}
