/** Search for people, numbers, colleagues, calls, items and pages: `/`. Enter opens what was found, Ctrl+Enter calls it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CallRecordView } from '../../schema/history.ts'
import { pages } from '../pages/index.ts'
import { Combobox, type Option } from '../pieces/Combobox.tsx'
import { Icon } from '../pieces/Icon.tsx'
import { foreign, numberText } from '../pieces/Number.tsx'
import { showCalls } from '../pieces/reach-out.ts'
import { timeText } from '../pieces/time.ts'
import { Fault, get, send } from './api.ts'
import { done } from './deeds.ts'
import { sentence } from './faults.ts'
import { useKeys } from './keys.ts'
import { go } from './router.ts'
import { me, roles } from './session.ts'
import { language } from './words.ts'
import { say } from './wording.ts'

type FoundCall = Pick<CallRecordView, 'callId' | 'direction' | 'from' | 'to' | 'callerName' | 'startedAt'>

/** As GET /api/search answers; at most five of each. */
interface Found {
  readonly parties: readonly { readonly name: string; readonly number: string }[]
  readonly colleagues: readonly { readonly extension: string; readonly name: string }[]
  readonly calls: readonly FoundCall[]
  readonly items: readonly {
    readonly kind: string
    readonly id: string
    readonly callerName: string
    readonly number: string
    readonly at: string
  }[]
}

/** What a choice leads to, and what Ctrl+Enter calls. */
interface Target extends Option {
  readonly to?: string
  /** All calls with this number. */
  readonly calls?: string
  readonly number?: string
}

const inputId = 'search'
const waitMs = 150
const most = 5

export function Search() {
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found>()
  const asked = useRef(0)
  useKeys({ '/': { does: say('search'), run: () => document.getElementById(inputId)?.focus() } })
  useEffect(() => {
    const turn = ++asked.current
    if (text.trim() === '') return setFound(undefined)
    const timer = setTimeout(() => {
      get<Found>(`/api/search?q=${encodeURIComponent(text.trim())}`).then(
        (answer) => turn === asked.current && setFound(answer),
        () => turn === asked.current && setFound(undefined),
      )
    }, waitMs)
    return () => clearTimeout(timer)
  }, [text])
  const options = [...targets(found), ...pagesNamed(text)]
  const pick = (option: Option, event: KeyboardEvent | MouseEvent): void => {
    const { to, calls, number } = option as Target
    setText('')
    if (event.ctrlKey && number !== undefined) void call(number)
    else if (calls !== undefined) showCalls(calls)
    else if (to !== undefined) go(to)
  }
  return (
    <div class="search" role="search">
      <Combobox
        label={say('search')}
        hidesLabel
        inputId={inputId}
        inputMode="search"
        placeholder={say('searchHint')}
        value={text}
        onValue={setText}
        options={options}
        none={say('searchNone')}
        onPick={pick}
        before={<Icon name="search" />}
        after={<kbd aria-hidden="true">/</kbd>}
      />
    </div>
  )
}

/** The person's own phone rings first. */
export async function call(number: string): Promise<void> {
  const extension = me.value?.extension ?? null
  if (extension === null) return done(say('noPhone'))
  try {
    await send('POST', '/api/pbx/calls/start', { extension, to: number })
    done(say('callRings', { extension }))
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
}

function targets(found: Found | undefined): Target[] {
  if (found === undefined) return []
  const named = (name: string, number: string): string => (name === '' ? numberText(number) : foreign(name))
  return [
    ...found.parties.map(({ name, number }): Target => ({
      ...{ id: `p${number}`, group: say('groupParties'), text: named(name, number), detail: numberText(number) },
      ...{ calls: number, number },
    })),
    ...found.colleagues.map(({ extension, name }): Target => ({
      ...{ id: `e${extension}`, group: say('groupColleagues'), text: foreign(name), detail: extension, to: '/desk', number: extension },
    })),
    ...found.calls.map(({ callId, direction, from, to, callerName = '', startedAt }): Target => {
      const number = direction === 'outbound' ? to : from
      const text = named(direction === 'outbound' ? '' : callerName, number)
      return { id: callId, group: say('groupCalls'), text, detail: timeText(startedAt), to: `/calls/${callId}`, number }
    }),
    ...found.items.map(({ kind, id, callerName, number, at }): Target => ({
      ...{ id: `${kind} ${id}`, group: say('groupItems'), text: named(callerName, number), detail: timeText(at), number },
      to: `${itemPages[kind] ?? '/desk'}?id=${encodeURIComponent(id)}`,
    })),
  ]
}

const itemPages: Readonly<Record<string, string>> = { voicemail: '/voicemail', fax: '/faxes', text: '/texts' }

function pagesNamed(text: string): Target[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const title = ({ title: all }: (typeof pages)[number]): string => all[language.value === 'es' ? 'es' : 'en']
  const own = pages.filter((page) => page.roles.some((role) => roles.value.includes(role)))
  const fit = own.filter((page) => title(page).toLowerCase().includes(wanted))
  return fit.slice(0, most).map((page) => ({ id: page.path, group: say('groupPages'), text: title(page), to: page.path }))
}
