import { answerCutOff, apiClientOf } from '../api/api-client.js'
import { optionText, type RunCommand, usageProblem } from '../command.js'

export const run: RunCommand = async (input) => {
  const format = optionText(input, 'format') ?? 'ndjson'
  if (format !== 'ndjson' && format !== 'csv') throw usageProblem('--format must be ndjson or csv')
  const { open, url } = apiClientOf(input)
  const { body } = await open('/audit/export', { query: { format } })
  if (!body) return undefined
  try {
    // The bytes are copied unchanged, because a changed line could not be verified.
    for await (const bytes of body)
      if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  } catch (thrown) {
    throw answerCutOff(url, thrown)
  }
  return undefined
}
