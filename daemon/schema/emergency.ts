/** What a test of calls for help showed. */
import { Type, type Static } from '@sinclair/typebox'

export const EmergencyTestSchema = Type.Object({
  callId: Type.String(),
  trunkId: Type.String(),
  number: Type.String({ description: "The provider's test number." }),
  callerId: Type.String({ description: 'The number that was shown.' }),
  location: Type.String({ description: 'Where the configuration says that the site is; compare it with what is read back.' }),
  answered: Type.Boolean(),
  sipCode: Type.Integer({ description: 'Final SIP status; 0 where none was seen.' }),
  recordingId: Type.Union([Type.String(), Type.Null()], { description: 'What was read back.' }),
  transcript: Type.Union([Type.String(), Type.Null()], { description: 'The same in words, where the box can transcribe.' }),
})

export type EmergencyTestView = Static<typeof EmergencyTestSchema>
