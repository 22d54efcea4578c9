import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

/** Faults as `path text`. */
function faults(text: string): string[] {
  try {
    parseConfig(text, '/srv/p.yaml')
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ path, text: said }) => `${path} ${said}`)
  }
}

t.test('numbers that may be called are patterns in the right list', async (t) => {
  const numbers = (text: string): string[] => faults(`numbers: { ${text} }`)
  t.same(
    numbers('international: [GB, "+4930*", "+442079460000"], allow: ["+19005551234", "+44300*", "611", "*67"], deny: [CA, "+1555*"]'),
    [],
  )
  t.match(numbers('international: ["UK"]'), [/^\/numbers\/international\/0 "UK" is not a number or a pattern; write a country such as GB/])
  t.match(numbers('international: ["0044*"]'), [/is not a number or a pattern/])
  t.match(numbers('international: ["+881612345678"]'), [/write it in numbers\.allow/])
  t.match(numbers('allow: [GB]'), [/write a country in numbers\.international: \["GB"\]/])
  t.match(numbers('allow: ["911"]'), [/^\/numbers\/allow\/0 911 is an emergency number: programs never call it/])
  t.match(numbers('deny: ["hello"]'), [/is not a number or a pattern/])
  const warnings = (text: string): string => JSON.stringify(parseConfig(`numbers: { ${text} }`, '/srv/p.yaml').warnings)
  t.match(warnings('allow: ["+44*"]'), /permits premium-rate numbers too/)
  t.match(warnings('international: ["+1*"]'), /permits all countries of \+1/)
  t.match(faults('limits: { perDay: { texts: -1 } }'), [/texts/])
  const { perDay } = parseConfig('limits: { perDay: { texts: 0, tokens: { shop: { faxes: 3 } } } }', '/srv/p.yaml').config.limits
  t.match(perDay, { texts: 0, faxes: 500, perToken: { texts: 1000 }, tokens: { shop: { faxes: 3 } } })
})
