/** The questions about another site with a box of its own. */
import { useSignal } from '@preact/signals'
import { Field } from '../../entry/Entry.tsx'
import { answers, type Answers } from './state.ts'
import { Choose, PasswordField, StepForm } from './Steps.tsx'
import { say } from './words.ts'

type Transport = 'udp' | 'tcp' | 'tls'

export function OtherSite() {
  const before = answers.value.otherSite
  const has = useSignal(before !== undefined)
  const transport = useSignal<Transport>(before?.transport ?? 'tls')
  const fields = useSignal({
    ...{ id: before?.id ?? 'north', server: before?.server ?? '', caFile: before?.caFile ?? '' },
    ...{ extensions: before?.extensions ?? '2xx', number: before?.number ?? '', password: before?.password ?? '' },
  })
  const set = (name: keyof typeof fields.value) => (value: string) => {
    fields.value = { ...fields.value, [name]: value.trim() }
  }
  const { id, server, caFile, extensions, number, password } = fields.value
  const given = (): Partial<Answers> => {
    if (!has.value) return { otherSite: undefined as never }
    return {
      otherSite: {
        ...{ id, server, extensions, transport: transport.value },
        ...(caFile === '' || transport.value !== 'tls' ? {} : { caFile }),
        ...(number === '' ? {} : { number }),
        ...(password === '' ? {} : { password }),
      },
    }
  }
  return (
    <StepForm given={given}>
      <label>
        <input type="checkbox" checked={has.value} onChange={({ currentTarget }) => (has.value = currentTarget.checked)} />{' '}
        {say('hasOtherSite')}
      </label>
      {has.value ? (
        <>
          <Field label={say('siteId')} hint={say('siteIdHint')} value={id} onValue={set('id')} maxLength={32} />
          <Choose
            label={say('transport')}
            value={transport.value}
            choices={[
              ['tls', 'TLS'],
              ['tcp', 'TCP'],
              ['udp', 'UDP'],
            ]}
            onValue={(now) => (transport.value = now)}
          />
          <Field label={say('siteServer')} hint={say('siteServerHint')} value={server} onValue={set('server')} maxLength={200} />
          {transport.value === 'tls' ? (
            <Field label={say('siteFile')} hint={say('siteFileHint')} value={caFile} onValue={set('caFile')} maxLength={200} optional />
          ) : null}
          <Field label={say('siteRange')} hint={say('siteRangeHint')} value={extensions} onValue={set('extensions')} maxLength={100} />
          <Field label={say('siteNumberOf')} hint={say('siteNumberHint')} value={number} onValue={set('number')} maxLength={16} optional />
          <PasswordField label={say('sitePassword')} value={password} onValue={set('password')} />
        </>
      ) : null}
    </StepForm>
  )
}
