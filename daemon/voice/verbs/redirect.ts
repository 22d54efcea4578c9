import { Type } from '@sinclair/typebox'
import { defineVerb, httpUrl } from '../verb.ts'

export const redirect = defineVerb({
  name: 'redirect',
  summary: 'Fetches the next document from another URL.',
  details: [
    'It ends the document: `call.redirected` is posted to `url`, which answers with the next document. Ten redirects in a row (`voice.redirects`)',
    'without audio played or input taken are a loop: the call goes to the fallback of the endpoint.',
  ].join('\n'),
  example: [{ say: { text: 'Sorry, I did not get that.' } }, { redirect: { url: 'http://127.0.0.1:3000/voice' } }],
  gives: ['call.redirected'],
  needs: 'nothing',
  ends: true,
  parameters: Type.Object({ url: httpUrl('Absolute URL that receives call.redirected and answers with the next document.') }),
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    return { kind: 'redirect', url: params.url }
  },
})
