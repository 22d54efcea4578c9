/** The first set-up, step by step: what `pbx setup` asks, put to use on trial, and at the end the test of everything. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../../frame/deeds.ts'
import { go, query } from '../../frame/router.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { FaultNote, Loading, Panel } from '../../pieces/Panel.tsx'
import { OtherSite } from './OtherSite.tsx'
import { Lines, Mail, Network, Office, Phones, ProviderStep, Site } from './Steps.tsx'
import {
  answers,
  begun,
  fault,
  inUse,
  load,
  passed,
  progress,
  putToUse,
  refusal,
  step,
  steps,
  testEverything,
  testing,
  tests,
  view,
  type Step,
} from './state.ts'
import { say } from './words.ts'

const forms = {
  site: Site,
  network: Network,
  provider: ProviderStep,
  phones: Phones,
  lines: Lines,
  office: Office,
  mail: Mail,
  otherSite: OtherSite,
} as const

export default function Setup() {
  const again = useSignal(false)
  useEffect(() => void (view.value === undefined && load()), [])
  const now = view.value
  useEffect(() => {
    // Who was invited to a box that is set up goes on to its pages.
    if (now?.needed === false && query.value.has('first')) go('/', { replace: true })
  }, [now])
  if (now === undefined)
    return (
      <Panel title={say('setup')}>{fault.value === undefined ? <Loading /> : <FaultNote fault={fault.value} again={() => load()} />}</Panel>
    )
  if (!now.needed && !again.value && !inUse.value && begun.value === undefined)
    return (
      <Panel title={say('setup')}>
        <div class="form">
          <p>{say('isSetUp')}</p>
          <div class="acts">
            <a class="btn" href="/config">
              {say('toConfig')}
            </a>
            <button type="button" class="btn danger" onClick={() => (again.value = true)}>
              {say('startAgain')}
            </button>
          </div>
          <Tests />
        </div>
      </Panel>
    )
  const Form = step.value in forms ? forms[step.value as keyof typeof forms] : undefined
  return (
    <div class="setup">
      <Steps />
      <div class="setup-main">
        {Form !== undefined ? <Form key={step.value} /> : step.value === 'use' ? <Use force={!now.needed} /> : <Done />}
      </div>
    </div>
  )
}

const isAnswered: Readonly<Record<Step, () => boolean>> = {
  site: () => answers.value.site !== undefined,
  network: () => answers.value.network !== undefined,
  provider: () => answers.value.provider !== undefined || answers.value.extensions !== undefined,
  phones: () => answers.value.extensions !== undefined,
  lines: () => answers.value.phoneOff !== undefined,
  office: () => answers.value.phoneOff !== undefined,
  mail: () => answers.value.mail !== undefined,
  otherSite: () => answers.value.otherSite !== undefined,
  use: () => inUse.value,
  test: () => testing.value === 'done',
}

function Steps() {
  return (
    <nav aria-label={say('steps')}>
      <ol class="panel setup-steps">
        {steps.map((name, n) => {
          const done = isAnswered[name]()
          return (
            <li key={name}>
              <button
                type="button"
                aria-current={step.value === name ? 'step' : undefined}
                disabled={progress.value !== '' || (!done && name !== step.value && n > 0 && !isAnswered[steps[n - 1]!]())}
                onClick={() => (step.value = name)}
              >
                <span class={`tag ${done ? 'green' : ''}`}>{done ? <Icon name="check" /> : n + 1}</span>
                {say(name)}
                {done ? <span class="vh">{say('answered')}</span> : null}
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

/** What was answered, and the way into use. */
function Use({ force }: { readonly force: boolean }) {
  const { site, provider, extensions = [], lines = [], hours, mail, alarms = [], otherSite } = answers.value
  const busy = progress.value !== ''
  const run = async (): Promise<void> => {
    if (force && !(await ask({ title: say('replaceTitle'), lost: say('replaceLost'), button: say('putToUse') }))) return
    await putToUse(force)
  }
  return (
    <Panel title={say('use')}>
      <dl class="facts">
        <dt>{say('site')}</dt>
        <dd>{site === undefined ? say('missing') : `${site.name}, ${site.country}, ${site.timeZone}`}</dd>
        <dt>{say('provider')}</dt>
        <dd>{provider === undefined ? say('none') : provider.numbers.join(', ')}</dd>
        <dt>{say('phones')}</dt>
        <dd>{extensions.map(({ number, name }) => `${number} ${name}`).join(', ') || say('missing')}</dd>
        <dt>{say('lines')}</dt>
        <dd>{lines.map(({ number }) => number).join(', ') || say('none')}</dd>
        <dt>{say('office')}</dt>
        <dd>
          {hours === undefined
            ? say('alwaysOpen')
            : Object.entries(hours.open)
                .map(([day, times]) => `${day} ${times.join(' ')}`)
                .join(', ')}
        </dd>
        <dt>{say('mail')}</dt>
        <dd>{mail === undefined ? say('none') : [mail.from, ...alarms].join(', ')}</dd>
        <dt>{say('otherSite')}</dt>
        <dd>{otherSite === undefined ? say('none') : `${otherSite.id}, ${otherSite.server}, ${otherSite.extensions}`}</dd>
      </dl>
      <div class="form">
        <p class="muted">{say(provider === undefined ? 'useHowAlone' : 'useHow')}</p>
        <p class="red" role="alert">
          {refusal.value}
        </p>
        <p role="status">{progress.value}</p>
        <div class="acts">
          <button
            type="button"
            class="btn main"
            disabled={busy || site === undefined || extensions.length === 0}
            onClick={() => void run()}
          >
            {say('putToUse')}
          </button>
        </div>
      </div>
    </Panel>
  )
}

function Done() {
  const made = begun.value
  return (
    <>
      {made === undefined ? null : (
        <Panel title={say('phonesTitle')}>
          <div class="form">
            <p>{say('phonesHow', { server: made.server })}</p>
            <div class="scrolls" role="region" aria-label={say('phonesTitle')} tabIndex={0}>
              <table>
                <thead>
                  <tr>
                    {(['number', 'name', 'password'] as const).map((head) => (
                      <th key={head} scope="col">
                        {say(head)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {made.phones.map(({ number, name, password }) => (
                    <tr key={number}>
                      <th scope="row">{number}</th>
                      <td>
                        <bdi>{name}</bdi>
                      </td>
                      <td>
                        <code class="secret">{password}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <div class="acts">
              <button type="button" class="btn" onClick={() => print()}>
                <Icon name="print" />
                {say('print')}
              </button>
            </div>
          </div>
        </Panel>
      )}
      <Panel title={say('test')}>
        <div class="form">
          <Tests />
          <p class="muted small">{say('byRoot')}</p>
        </div>
      </Panel>
    </>
  )
}

/** What the box can try by itself, as it comes, and what is left to a person. */
function Tests() {
  return (
    <>
      <p>{say('testHow')}</p>
      <div class="acts">
        <button type="button" class="btn main" disabled={testing.value === 'running'} onClick={() => void testEverything()}>
          {say('testEverything')}
        </button>
        <span role="status">
          {testing.value === 'no'
            ? ''
            : say(testing.value === 'running' ? 'testing' : 'tested', { n: tests.value.length, passed: passed.value })}
        </span>
      </div>
      <ul class="setup-tests">
        {tests.value.map(({ name, level, text, fix, byHand }) => (
          <li key={name}>
            <span class={`tag ${level === 'ok' ? 'green' : level === 'warning' ? 'amber' : 'red'}`}>
              {byHand === undefined ? say(level) : say('byHand')}
            </span>
            <span class="grow">
              <strong>{name}</strong> {text}
              {byHand === undefined ? null : <span class="muted"> {byHand}</span>}
              {fix === '' ? null : <code class="small"> {fix}</code>}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
