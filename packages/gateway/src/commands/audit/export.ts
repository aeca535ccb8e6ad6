import { apiOf } from '../api/api.js'
import { misused } from '../exit-codes.js'
import { type Run, textOf } from '../spec.js'

export const run: Run = async (input) => {
  const format = textOf(input, 'format') ?? 'ndjson'
  if (format !== 'ndjson' && format !== 'csv') throw misused('--format is ndjson or csv')
  const { body } = await apiOf(input).open('/audit/export', { query: { format } })
  if (!body) return undefined
  // To the byte as it is kept: a line that was changed could not be verified.
  for await (const bytes of body)
    if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  return undefined
}
