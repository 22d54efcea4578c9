/** How the box hears and speaks: what serves, what would be better, and a sentence as a caller hears it. */
import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { SaidView, SpeechView } from '../../../schema/speech.ts'
import { Form, useSubmit } from '../../entry/Entry.tsx'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { locale, site } from '../../frame/site.ts'
import { thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { reasonText } from '../../pieces/event-words.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { say } from './words.ts'

const speech = thing<SpeechView>('/api/speech', ['box'])

export default function Speech() {
  return (
    <div class="columns wide">
      <Problems />
      <Panel title={say('roles')} thing={speech} aside={<LookAgain />}>
        {({ roles }) => (
          <Table
            caption={say('roles')}
            rows={roles}
            keyOf={({ role }) => role}
            columns={[
              { head: say('role'), cell: ({ role }) => roleText(role), isHead: true },
              { head: say('state'), cell: ({ engine }) => <State on={engine !== ''} /> },
              { head: say('engine'), cell: ({ engine, vocabulary }) => `${engine}${vocabulary === 'closed' ? ` (${say('closed')})` : ''}` },
              { head: say('why'), cell: ({ why }) => reasonText(why) },
              { head: say('fix'), cell: ({ fix }) => (fix === '' ? '' : <code>{fix}</code>) },
            ]}
          />
        )}
      </Panel>
      <Hear />
      <Voices />
      <Processes />
      <LeftOut />
      <Recommended />
      <AtTheBox page="speech" />
    </div>
  )
}

const roleNames = { call: 'roleCall', recording: 'roleRecording', voice: 'roleVoice', detector: 'roleDetector' } as const
const roleText = (role: string): string => (Object.hasOwn(roleNames, role) ? say(roleNames[role as keyof typeof roleNames]) : role)

function State({ on }: { readonly on: boolean }) {
  return <span class={`tag ${on ? 'green' : 'amber'}`}>{say(on ? 'serves' : 'none')}</span>
}

function Problems() {
  const problems = speech.data.value?.problems ?? []
  if (problems.length === 0) return null
  return (
    <Panel title={say('problems')} count={problems.length}>
      {problems.map(({ text, fix }) => (
        <div key={text} class="note amber">
          <Icon name="alert" />
          <p>
            {foreign(text, 500)} <code>{fix}</code>
          </p>
        </div>
      ))}
    </Panel>
  )
}

function LookAgain() {
  const look = async (): Promise<void> => {
    try {
      const now = await send<SpeechView>('POST', '/api/speech/reload')
      speech.set(() => now)
      done(say('looked'))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
  }
  return (
    <button type="button" class="btn small" onClick={() => void look()}>
      {say('look')}
    </button>
  )
}

function Voices() {
  return (
    <Panel title={say('voices')} thing={speech} isEmpty={({ voices }) => voices.length === 0} empty={say('noVoices')}>
      {({ voices }) => (
        <Table
          caption={say('voices')}
          rows={voices}
          keyOf={({ language }) => language}
          columns={[
            { head: say('language'), cell: ({ language }) => languageText(language), isHead: true },
            { head: say('default'), cell: ({ engines }) => engines[0] ?? '' },
            { head: say('others'), cell: ({ engines }) => engines.slice(1).join(', ') },
          ]}
        />
      )}
    </Panel>
  )
}

function languageText(tag: string): string {
  try {
    return `${new Intl.DisplayNames([locale()], { type: 'language' }).of(tag) ?? tag} (${tag})`
  } catch {
    return tag
  }
}

const mib = (bytes: number): string => `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 0 }).format(bytes / 1024 ** 2)} MiB`

function Processes() {
  return (
    <Panel title={say('processes')} thing={speech} isEmpty={({ processes }) => processes.length === 0} empty={say('noProcesses')}>
      {({ processes }) => (
        <Table
          caption={say('processes')}
          rows={processes}
          keyOf={({ name }) => name}
          columns={[
            { head: say('process'), cell: ({ name }) => roleText(name), isHead: true },
            { head: say('state'), cell: ({ state }) => processText(state) },
            {
              head: say('memory'),
              cell: ({ memoryBytes, limitBytes }) =>
                memoryBytes === null ? '–' : say('ofMemory', { used: mib(memoryBytes), most: mib(limitBytes) }),
            },
            { head: say('restarts'), cell: ({ restarts, reason }) => `${restarts}${reason === '' ? '' : `: ${foreign(reason)}`}` },
          ]}
        />
      )}
    </Panel>
  )
}

const processStates = { running: 'running', starting: 'starting', idle: 'idle', waiting: 'waiting', off: 'off' } as const
const processText = (state: string): string =>
  Object.hasOwn(processStates, state) ? say(processStates[state as keyof typeof processStates]) : state

function LeftOut() {
  const leftOut = speech.data.value?.leftOut ?? []
  if (leftOut.length === 0) return null
  return (
    <Panel title={say('leftOut')} count={leftOut.length}>
      <Table
        caption={say('leftOut')}
        rows={leftOut}
        keyOf={({ id }) => id}
        columns={[
          { head: say('engine'), cell: ({ id }) => id, isHead: true },
          { head: say('why'), cell: ({ reason }) => reason },
          { head: say('fix'), cell: ({ fix }) => (fix === '' ? '' : <code>{fix}</code>) },
        ]}
      />
    </Panel>
  )
}

/** The models that suit the machine, while one of them is missing. */
function Recommended() {
  const models = speech.data.value?.recommended ?? []
  if (models.every(({ installed }) => installed)) return null
  return (
    <Panel title={say('recommended')}>
      <Table
        caption={say('recommended')}
        rows={models}
        keyOf={({ id }) => id}
        columns={[
          { head: say('engine'), cell: ({ id }) => id, isHead: true },
          { head: say('role'), cell: ({ roles }) => roles.map(roleText).join(', ') },
          { head: say('download'), cell: ({ downloadBytes }) => mib(downloadBytes) },
          { head: say('memory'), cell: ({ memoryBytes }) => mib(memoryBytes) },
          { head: say('state'), cell: ({ installed }) => <State on={installed} /> },
        ]}
      />
      <p class="row small">{say('install', { command: 'pbx models install recommended' })}</p>
    </Panel>
  )
}

/** Plays in the page: the policy of sources permits no audio but that of an address of the box. */
class Playing {
  #context: AudioContext | undefined

  /** Resolves when all was played, or it was stopped. */
  async play(base64: string): Promise<void> {
    this.stop()
    const context = (this.#context = new AudioContext())
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const source = new AudioBufferSourceNode(context, { buffer: await context.decodeAudioData(bytes.buffer) })
    source.connect(context.destination)
    const { promise, resolve } = Promise.withResolvers<void>()
    source.addEventListener('ended', () => resolve(), { once: true })
    context.addEventListener('statechange', () => context.state === 'closed' && resolve())
    source.start()
    await promise
    if (this.#context === context) this.stop()
  }

  stop(): void {
    void this.#context?.close()
    this.#context = undefined
  }
}

function Hear() {
  const text = useSignal(say('example', { clinic: site.name }))
  const language = useSignal(site.language)
  const said = useSignal<SaidView | undefined>(undefined)
  const playing = useSignal(false)
  const sound = useRef(new Playing())
  const state = useSubmit()
  useEffect(() => () => sound.current.stop(), [])
  const hear = async (): Promise<void> => {
    const answer = (said.value = await send<SaidView>('POST', '/api/speech/say', { text: text.value, language: language.value }))
    playing.value = true
    void sound.current.play(answer.wav).finally(() => (playing.value = false))
  }
  const stop = (
    <button type="button" class="btn" onClick={() => sound.current.stop()}>
      <Icon name="pause" />
      {say('stop')}
    </button>
  )
  return (
    <Panel title={say('hear')}>
      <Form state={state} button={say('hearIt')} onSubmit={hear} more={playing.value ? stop : null}>
        <label class="field">
          <span>{say('text')}</span>
          <textarea
            class="box"
            required
            maxLength={4096}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        <LanguagePick language={language} />
        {said.value === undefined ? null : <Said said={said.value} />}
      </Form>
    </Panel>
  )
}

function LanguagePick({ language }: { readonly language: Signal<string> }) {
  const tags = [...new Set([site.language, ...(speech.data.value?.voices.map((one) => one.language) ?? [])])]
  return (
    <label class="field">
      <span>{say('language')}</span>
      <select class="box" value={language.value} onChange={(event) => (language.value = event.currentTarget.value)}>
        {tags.map((tag) => (
          <option key={tag} value={tag}>
            {languageText(tag)}
          </option>
        ))}
      </select>
    </label>
  )
}

function Said({ said: { engine, firstMs, seconds, warnings } }: { readonly said: SaidView }) {
  return (
    <div role="status">
      <p>
        {say('saidBy', { engine, ms: firstMs, seconds: new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(seconds) })}
      </p>
      {warnings.map((warning) => (
        <p key={warning} class="amber">
          {foreign(warning, 500)}
        </p>
      ))}
    </div>
  )
}
