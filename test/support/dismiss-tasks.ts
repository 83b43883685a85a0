import type { SampleDms } from '../../simulators/sample-dms/sample-dms.ts';

export async function dismissTasks({
  url,
  token,
  tasks,
}: Pick<SampleDms, 'url' | 'token' | 'tasks'>): Promise<void> {
  const response = await fetch(`${url}/api/tasks/acknowledge/`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tasks: tasks().map(({ id }) => id) }),
  });
  if (!response.ok) throw new Error(`the tasks cannot be dismissed: ${response.status}`);
}
