/** What the document shows: the page of a person, or the way to become one. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ownPages } from '../pages/index.ts'
import type { Page } from '../pages/page.ts'
import { Boundary } from '../pieces/Boundary.tsx'
import { Loading } from '../pieces/Panel.tsx'
import { Frame } from './Frame.tsx'
import { ringsHere } from './ring.ts'
import { path, wallPath } from './router.ts'
import { roles, session, standing } from './session.ts'
import { site } from './site.ts'
import { language } from './words.ts'
import { say } from './wording.ts'

const ways = {
  signIn: () => import('../entry/SignIn.tsx'),
  setUp: () => import('../entry/SetUp.tsx'),
  locked: () => import('../entry/Locked.tsx'),
  secondStep: () => import('../entry/SecondStep.tsx'),
  wall: () => import('../pages/wall/page.tsx'),
}
type Way = keyof typeof ways

export function App() {
  const way = wayNow()
  if (way === 'unreachable') return <Unreachable />
  if (way === 'asking') return <Loading />
  if (way !== undefined) return <Lazily key={way} load={ways[way]} title="" />
  return (
    <Frame>
      <Shown />
    </Frame>
  )
}

function wayNow(): Way | 'asking' | 'unreachable' | undefined {
  const stands = standing.value
  // It is of no person: neither the lock nor the end of anybody's session concerns it.
  if (path.value === wallPath) return 'wall'
  // With the code of an invitation, or of somebody who has not signed in.
  if (path.value === '/setup' && (stands === 'out' || (stands !== 'locked' && location.hash !== ''))) return 'setUp'
  if (stands === 'asking' || stands === 'unreachable') return stands
  if (stands === 'locked') return 'locked'
  if (stands === 'out') return 'signIn'
  return session.value!.needs.length > 0 ? 'secondStep' : undefined
}

/** The page of the address. `/` is the first one that the person has. */
export function pageAt(address: string): Page | undefined {
  const own = ownPages()
  if (address === '/') return own[0]
  return own.find((page) => page.path === address || address.startsWith(`${page.path}/`))
}

function Shown() {
  const page = pageAt(path.value)
  const title = page === undefined ? say('gone') : page.title[language.value === 'es' ? 'es' : 'en']
  const rings = ringsHere.value.length > 0
  useEffect(() => {
    document.title = `${rings ? `${say('ringsHere')} – ` : ''}${title} – ${site.name}`
  }, [title, rings])
  if (page === undefined)
    return (
      <section class="panel">
        <header>
          <h1>{say('gone')}</h1>
        </header>
        <p class="empty">{say('goneWhy')}</p>
      </section>
    )
  return <Lazily key={page.name} load={page.load} title={title} />
}

const awayMs = 2_000

/**
 * What could not be loaded is loaded again once the box answers: it may have another version by now. Not before: the browser would show a page of
 * its own, which never comes back.
 */
async function comeBack(isGone: () => boolean): Promise<void> {
  while (!isGone()) {
    const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined)
    if (answer?.ok === true && !isGone()) return location.reload()
    await new Promise((done) => setTimeout(done, awayMs))
  }
}

function Lazily({ load, title }: { readonly load: () => Promise<{ readonly default: ComponentType }>; readonly title: string }) {
  const [Loaded, setLoaded] = useState<ComponentType>()
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    let gone = false
    load().then(
      (module) => gone || setLoaded(() => module.default),
      () => {
        setAway(true)
        void comeBack(() => gone)
      },
    )
    return () => (gone = true)
  }, [])
  if (isAway) return title === '' ? <Unreachable /> : <Away title={title} />
  if (Loaded === undefined) return <Loading />
  return (
    <>
      {title === '' ? null : <h1 class="vh">{title}</h1>}
      <Boundary>
        <Loaded />
      </Boundary>
    </>
  )
}

function Away({ title }: { readonly title: string }) {
  return (
    <section class="panel" role="alert">
      <header>
        <h1>{title}</h1>
      </header>
      <p class="empty">
        {say('unreachable')} {say('unreachableWhy')}
      </p>
    </section>
  )
}

function Unreachable() {
  return (
    <main class="entry">
      <h1>{say('unreachable')}</h1>
      <p>{say('unreachableWhy')}</p>
    </main>
  )
}
