const longest = 200
const telling = /error|exception|cannot|missing|not found|failed/i

/** Why a server cannot be used, in one line: of what it printed on stderr, the line that says most. The whole is kept beside it. */
export function shortReason(why: string): string {
  const [first = '', ...printed] = why.split('\n').map((line) => line.trim())
  const end = first.replace(/\. The end of its stderr:$/, '')
  const line = printed.find((one) => telling.test(one)) ?? printed.findLast((one) => one !== '')
  const words = line === undefined ? first : `${line} (${end})`
  return words.length > longest ? `${words.slice(0, longest)}…` : words
}
