/** What a test of calls for help showed. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'

export const EmergencyTestRequestSchema = named(
  'EmergencyTestRequest',
  Type.Object(
    { trunkId: Type.Optional(Type.String({ description: 'By default the first one of calls for help.' })) },
    { examples: [{ trunkId: 'main' }] },
  ),
)

export const EmergencyTestSchema = named(
  'EmergencyTest',
  Type.Object({
    callId: Type.String(),
    trunkId: Type.String(),
    number: Type.String({ description: "The provider's test number." }),
    callerId: Type.String({ description: 'The number that was shown.' }),
    location: Type.String({ description: 'Where the configuration says that the site is; compare it with what is read back.' }),
    answered: Type.Boolean(),
    sipCode: Type.Integer({ description: 'Final SIP status; 0 where none was seen.' }),
    recordingId: Type.Union([Type.String(), Type.Null()], { description: 'What was read back.' }),
    transcript: Type.Union([Type.String(), Type.Null()], { description: 'The same in words, where the box can transcribe.' }),
  }),
)
export type EmergencyTestView = View<typeof EmergencyTestSchema>
