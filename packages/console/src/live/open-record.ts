import { getJson } from '../api/api.js'
import type { AuditPage } from '../api/types.js'
import { goTo } from '../page/route.js'
import { errorText } from '../parts/Problem.js'
import { toast } from '../parts/Toast.js'

/** Goes to the record of a call, which the log knows by its id. */
export async function openRecord(id: string | undefined): Promise<void> {
  if (id === undefined) return toast('This call was not recorded.', 'info')
  try {
    const { calls } = await getJson<AuditPage>('/audit', { text: id, limit: 1 })
    const [found] = calls
    if (found) goTo(['audit', found.sequence])
    else toast('This call is not in the log yet; try again in a moment.', 'info')
  } catch (thrown) {
    toast(errorText(thrown), 'danger')
  }
}
