/** Whether two numbers are one: a network names them with and without +, or without the country. */
export function sameNumber(a: string, b: string): boolean {
  const [left, right] = [a, b].map((number) => number.replaceAll(/\D/g, '').replace(/^0+/, '')) as [string, string]
  if (left === right) return left !== ''
  return Math.min(left.length, right.length) >= 7 && (left.endsWith(right) || right.endsWith(left))
}
