/** What a command is given: the client, made when it is first wanted, and whether the answer is for a program. */
import { Client, findSocket, type SocketChoice } from './client.ts'

export interface Context {
  readonly json: boolean
  readonly choice: SocketChoice
  client(): Promise<Client>
}

export function contextOf(options: SocketChoice & { json?: true }): Context {
  const choice: SocketChoice = {
    ...(options.socket === undefined ? {} : { socket: options.socket }),
    ...(options.config === undefined ? {} : { config: options.config }),
  }
  return { json: options.json === true, choice, client: async () => new Client(await findSocket(choice)) }
}
