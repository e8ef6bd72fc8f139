/** Writes access rules as texts for messages, in the form of their code. */
import type { AccessRule, RouteSelection } from '../../declare/access/rule.js'
import { tokenName } from '../../declare/tokens.js'

/** Returns an access rule in the form of its code: `routes('/admin/**').run(RequireUser)`. */
export function textOfRule({ demand }: AccessRule): string {
  if (demand.of === 'hooks') return `${textOfSelection(demand.routes)}.run(${demand.hooks.map(textOfChoice).join(', ')})`
  if (demand.of === 'routes') return `${textOfSelection(demand.routes)}.every(${demand.judge.name || '…'})`
  if (demand.of === 'public') return `public({ exactly: [${demand.exactly.map(textOfChoice).join(', ')}] })`
  return `neverSees(${demand.hidden.map(tokenName).join(', ')})`
}

function textOfSelection({ chosen, except }: RouteSelection): string {
  const left = except.length === 0 ? '' : `.except(${except.map(textOfChoice).join(', ')})`
  return `routes(${chosen.map(textOfChoice).join(', ')})${left}`
}

/** Returns a pattern, class or function in the form of its code: `'/admin/**'`, `Login`. */
export function textOfChoice(choice: unknown): string {
  return typeof choice === 'function' ? choice.name || 'a function' : typeof choice === 'string' ? `'${choice}'` : String(choice)
}
