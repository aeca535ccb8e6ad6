/** What may pass neither through a client's form nor through headers that anyone between can read. */
const secret =
  /pass(word|phrase|code)|secret|api[_-]?key|private[_-]?key|access[_-]?token|auth[_-]?token|^token$|card[_-]?number|^cvv$|^cvc$|^ssn$|^pin$/i

export const soundsSecret = (name: string): boolean => secret.test(name)
