/** The longest time of a timer, in milliseconds: a longer one would fire at once. */
export const longestTimer = 2 ** 31 - 1
