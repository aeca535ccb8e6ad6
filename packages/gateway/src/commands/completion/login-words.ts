import { abortAfter } from '../../gateway/within.js'
import { apiClientOf } from '../api/api.js'
import { listIn, stringIn } from '../json.js'
import type { CommandInput } from '../spec.js'

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
