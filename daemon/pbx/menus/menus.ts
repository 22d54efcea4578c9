/**
 * The menus of the house: an application inside the daemon asks the caller, with the verbs that everybody has, and gives the call back;
 * then it is sent on. A choice that cannot take the call leads to `onNothing`; after that the extension or rule that sent the call here has
 * it again.
 */
import { derived } from '../../base/derived.ts'
import type { Call } from '../../calls/call.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Destinations, TakeRequest } from '../../routing/destinations.ts'
import { answered, canceled, type Taken } from '../../routing/taken.ts'
import type { Config } from '../../schema/config.ts'
import type { MenuConfig } from '../../schema/config/pbx-menus.ts'
import type { CallEvent } from '../../schema/events.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { InternalApplication } from '../../voice/internal.ts'
import { beginning, converse, type MenuEvent, type MenuFacts, type MenuState, type MenuStep } from './menu.ts'
import { words } from '../../words/words.ts'

export interface MenusOptions {
  readonly config: Pick<Config, 'menus' | 'extensions' | 'site'>
  readonly destinations: Destinations
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
}

interface Menu {
  readonly facts: MenuFacts
  readonly onNothing: string | null
}

interface Talk {
  readonly facts: MenuFacts
  state: MenuState
  end: Exclude<MenuStep, { kind: 'ask' }> | null
}

const applicationName = 'menu'
const nothingChosen: Taken = { outcome: 'no-answer', sipCode: 480, text: 'nothing was chosen' }

export class Menus {
  /** Answers the events of callers who are in a menu. */
  readonly application: InternalApplication
  readonly #options: MenusOptions
  readonly #menus: () => ReadonlyMap<string, Menu>
  readonly #talks = new Map<string, Talk>()

  constructor(options: MenusOptions) {
    this.#options = options
    const { config } = options
    this.#menus = derived(config, () => new Map(config.menus.map((menu) => [menu.id, menuOf(menu, config)])))
    this.application = {
      name: applicationName,
      destinations: [],
      givesBack: true,
      respond: async (event) => this.#respond(event),
    }
  }

  /** Has the menus spoken ahead, so that callers wait for no voice, nor go without one that fails later. */
  async warm(speaker: Pick<Speaker, 'prepare'>): Promise<void> {
    for (const { facts } of this.#menus().values()) {
      for (const { text, language } of [{ text: facts.say, language: facts.language }, facts.wrong])
        // As it is said at once, and as it is said after something else: a slow voice begins with a shorter piece.
        for (const ahead of [false, true]) await speaker.prepare({ text, language, callId: applicationName, ahead }).late
    }
  }

  async take(call: Call, id: string, request: TakeRequest): Promise<Taken> {
    const { applications, destinations } = this.#options
    const menu = this.#menus().get(id)
    if (menu === undefined) return { outcome: 'failed', sipCode: 0, text: `there is no menu ${id}` }
    const { signal, arrival } = request
    const talk: Talk = { facts: menu.facts, state: beginning, end: null }
    call.note('state', `menu ${id}`)
    this.#talks.set(call.id, talk)
    try {
      await applications.takeOver(call, applicationName, signal, arrival?.faxes ?? false)
    } finally {
      this.#talks.delete(call.id)
    }
    if (call.over.aborted || signal.aborted) return canceled
    // Nobody is asked any more: it was a fax, or the caller heard that something went wrong.
    if (call.ending || talk.end === null) return answered
    const chosen = talk.end.kind === 'chosen' ? talk.end.destination : null
    let taken = nothingChosen
    if (chosen !== null) {
      call.note('state', `menu ${id}: on to ${chosen}`)
      taken = await destinations.send(call, chosen, { ...request, via: [] })
      if (taken.outcome === 'answered' || call.over.aborted || signal.aborted) return taken
    }
    const { onNothing } = menu
    if (onNothing === null || onNothing === chosen) return taken
    call.note('state', `menu ${id}: ${chosen === null ? taken.text : `${chosen} could not take the call`}, on to ${onNothing}`)
    return destinations.send(call, onNothing, request)
  }

  #respond(event: CallEvent): readonly unknown[] {
    const talk = this.#talks.get(event.callId)
    const happened = menuEvent(event)
    if (talk === undefined || happened === null) return []
    const step = converse(talk.facts, talk.state, happened)
    if (step.kind === 'ask') {
      talk.state = step.state
      return step.document
    }
    talk.end = step
    return []
  }
}

function menuOf(menu: MenuConfig, { extensions, site }: MenusOptions['config']): Menu {
  const dialled = menu.dialExtensions ? extensions.map(({ number }) => [number, number] as const) : []
  const wording = words(site.language)
  const facts = {
    say: menu.say,
    language: site.language,
    wrong: { text: wording.menus.wrongChoice, language: wording.language },
    choices: new Map([...dialled, ...Object.entries(menu.keys)]),
    timeoutSeconds: menu.timeoutSeconds,
    repeats: menu.repeats,
  }
  return { facts, onNothing: menu.onNothing ?? null }
}

function menuEvent(event: CallEvent): MenuEvent | null {
  if (event.event === 'call.inbound.pre_route') return { type: 'begin' }
  if (event.event !== 'gather.completed' || event.reason === 'hangup') return null
  return event.digits === '' ? { type: 'silence' } : { type: 'key', key: event.digits.slice(0, 1) }
}
