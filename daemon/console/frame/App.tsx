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

/** Loads it again where it could not be loaded: the box may have been gone for a moment, or have another version by now. */
function Lazily({ load, title }: { readonly load: () => Promise<{ readonly default: ComponentType }>; readonly title: string }) {
  const [Loaded, setLoaded] = useState<ComponentType>()
  useEffect(() => {
    let gone = false
    load().then(
      (module) => gone || setLoaded(() => module.default),
      () => gone || location.reload(),
    )
    return () => (gone = true)
  }, [])
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

function Unreachable() {
  return (
    <main class="entry">
      <h1>{say('unreachable')}</h1>
      <p>{say('unreachableWhy')}</p>
    </main>
  )
}
