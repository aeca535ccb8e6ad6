import { connect } from 'toolwire/client'
import type { Play } from './play.js'

/** Calls that ask for input, and one between them that does not, and must not carry their request state. */
export const requestState: Play = async ({ url }) => {
  await using client = await connect(url, { answers: { form: () => ({ action: 'accept', content: { confirmed: true } }) } })
  for (const tool of ['test_mrtr_echo_state', 'test_mrtr_unrelated', 'test_mrtr_no_state', 'test_mrtr_no_result_type'])
    await client.call(tool)
}
