import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { mutation, query } from './api.ts'

export function Login() {
  const queryClient = useQueryClient()
  // A 401 is an answer, too: nobody is logged in. So it is not asked again.
  const session = useQuery({ ...query.session.show(), retry: false })
  const logIn = useMutation({
    ...mutation.session.logIn(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['session'] }),
  })

  if (session.isSuccess) return <header>Hello, {session.data.name}</header>
  return <button onClick={() => logIn.mutate({ body: { name: 'bob' } })}>Log in</button>
}
