import { Type } from '@sinclair/typebox'
import t from 'tap'
import { ApiError } from '../../daemon/base/errors.ts'
import { meantBy, unknownMembers, withUnknown } from '../../daemon/http/unknown.ts'

const Phone = Type.Object({ number: Type.String(), label: Type.Optional(Type.String()) })
const Party = Type.Object({
  name: Type.String(),
  phones: Type.Optional(Type.Array(Phone)),
  extra: Type.Optional(Type.Record(Type.String(), Phone)),
  own: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  anything: Type.Optional(Type.Unknown()),
  way: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('mail'), address: Type.String() }),
      Type.Object({ kind: Type.Literal('call'), seconds: Type.Integer() }),
      Type.String(),
    ]),
  ),
  verb: Type.Optional(Type.Union([Type.Object({ say: Type.Object({ text: Type.String() }) }), Type.Object({ hangup: Type.Object({}) })])),
  both: Type.Optional(Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })])),
})
const Body = Type.Union([Party, Type.Array(Party), Type.Object({ parties: Type.Array(Party) })])

const found = (body: unknown, schema = Body as never): string[] =>
  unknownMembers(schema, body).map(({ path, meant }) => (meant === undefined ? path : `${path} (${meant})`))

t.test('members are looked for wherever the schema says what may stand there, through lists, records and unions', async (t) => {
  const cases: [unknown, string[]][] = [
    [{ name: 'a' }, []],
    [{ nam: 'a', zzz: 1 }, ['/nam (name)', '/zzz']],
    [{ name: 'a', phones: [{ number: '1' }, { nubmer: '2', number: '3' }] }, ['/phones/1/nubmer']],
    [[{ name: 'a' }, { name: 'b', phone: [] }], ['/1/phone (phones)']],
    [{ parties: [{ name: 'a', x: { deep: 1 } }], more: 1 }, ['/parties/0/x', '/more']],
    [{ name: 'a', extra: { home: { number: '1', lable: 'x' } } }, ['/extra/home/lable (label)']],
    [{ name: 'a', own: { whatever: { deep: 1 } }, anything: { x: 1 } }, []],
    [{ name: 'a', way: { kind: 'mail', address: 'x', seconds: 1 } }, ['/way/seconds']],
    [{ name: 'a', way: { kind: 'call', adress: 'x', seconds: 1 } }, ['/way/adress']],
    [{ name: 'a', way: 'anywhere' }, []],
    [{ name: 'a', verb: { say: { text: 'x', txt: 'y' } } }, ['/verb/say/txt']],
    [{ name: 'a', verb: { hangup: { text: 'x' } } }, ['/verb/hangup/text']],
    [{ name: 'a', both: { a: 1, b: 2, c: 3 } }, ['/both/c']],
    [JSON.parse('{"name":"a","__proto__":{"x":1},"constructor":1,"a/b~":2}'), ['/__proto__', '/constructor', '/a~1b~0']],
  ]
  for (const [body, expected] of cases) t.same(found(body), expected, JSON.stringify(body))
  for (const body of [null, 1, 'text', [], [1, null, 'x']]) t.same(found(body), [], JSON.stringify(body))
  const lenient = Type.Union([Party, Type.Object({ parties: Type.Array(Party) }), Type.Object({})])
  t.same(found({ nam: 'a', phones: [] }, lenient as never), ['/nam (name)'], 'a form that takes anything says nothing of the others')
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x${n}`, n]))
  t.equal(found({ name: 'a', ...many }).length, 20, 'no more than twenty')
})

t.test('the member that was meant: one that is near, abbreviated, or has the word at one of its ends', async (t) => {
  const cases: [string, string[], string | undefined][] = [
    ['mesage', ['message', 'to'], 'message'],
    ['msg', ['message', 'to'], 'message'],
    ['callback', ['statusCallbackUrl', 'callbackUrl'], 'callbackUrl'],
    ['controlUrl', ['url', 'to'], 'url'],
    ['Url', ['controlUrl', 'fallbackUrl'], undefined],
    ['recipient', ['to', 'message'], undefined],
  ]
  for (const [word, names, meant] of cases) t.equal(meantBy(word, names), meant, word)
})

t.test('what was refused names them too, nested ones by their path', async (t) => {
  const refused = new ApiError('validation_failed', '"name" is required.', {
    details: [{ path: '/parties/0/name', message: 'is required' }],
  })
  const listed = withUnknown(refused, Body, { parties: [{ nmae: 'a' }] }) as ApiError
  t.equal(listed.message, '"name" is required. "parties.0.nmae" is not known here.')
  t.same(listed.details, [
    { path: '/parties/0/name', message: 'is required' },
    { path: '/parties/0/nmae', message: 'is not known here: was "name" meant?' },
  ])
  const unended = withUnknown(new ApiError('validation_failed', '"name" is required'), Body, { parties: [{ nmae: 'a' }] }) as ApiError
  t.equal(unended.message, listed.message, 'a sentence ends before the next one begins')
  t.equal(withUnknown(refused, undefined, { x: 1 }), refused)
  t.equal(withUnknown(refused, Body, { name: 'a' }), refused)
})
