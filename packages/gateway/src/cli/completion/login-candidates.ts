import { abortAfter } from '../../common/abort-after.js'
import { apiClientOf } from '../api/api-client.js'
import type { CommandInput } from '../command.js'
import { listIn, stringIn } from '../json-members.js'

const patienceMs = 1_500

/** The servers that people log in to, if a gateway answers at once. */
export async function loginCandidates(input: CommandInput): Promise<string[]> {
  const signal = abortAfter(input.signal, patienceMs)
  try {
    const logins = listIn(await apiClientOf({ ...input, signal }).request('/logins'), 'logins')
    return logins.flatMap((one) => stringIn(one, 'server') ?? [])
  } catch {
    return [] // without a gateway there is nothing to complete
  }
}
