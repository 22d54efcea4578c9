/** A registry: one for each name, before the start, and nobody else. */
import t from 'tap'
import { Registry } from '../../daemon/base/registry.ts'

t.test('a second for the same name is refused, and does not take the place of the first', async (t) => {
  const registry = new Registry<Readonly<Record<string, string>>>('way', ['mail', 'sms'])
  registry.add('mail', 'first')
  t.throws(() => registry.add('mail', 'second'), { message: 'there are two for the way mail' })
  t.throws(() => registry.addAll({ sms: 'text', mail: 'second' }), { message: 'there are two for the way mail' })
  registry.seal()
  t.same([registry.get('mail'), registry.get('sms')], ['first', 'text'])
})

t.test('a name that nobody asks for is refused: it is misspelt', async (t) => {
  const registry = new Registry<Readonly<Record<string, string>>>('way', ['mail'])
  for (const name of ['fax', 'constructor', '']) t.throws(() => registry.add(name, 'x'), { message: `there is no way ${name}` })
})

t.test('an entry that is undefined is there', async (t) => {
  const registry = new Registry<{ a?: string }>('way', ['a'])
  t.throws(() => registry.seal(), { message: 'nobody is the way a' })
  registry.add('a', undefined)
  registry.seal()
  t.equal(registry.get('a'), undefined)
})
