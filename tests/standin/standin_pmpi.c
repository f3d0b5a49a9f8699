/* SPDX-License-Identifier: MIT
 * As much of an MPI with handles that are ints (MPICH's) as one rank of three calls: rank 1. In the
 * communicator 7 it is rank 0, and rank 2 is rank 1; 8 has it alone.
 */
#include <stdint.h>

enum { WORLD = 0x44000000, PAIR = 7, ALONE = 8 };
enum { STATUS_SOURCE = 2, STATUS_TAG = 3 };

int PMPI_Comm_size(int of, int *size)
{
	*size = of == ALONE ? 1 : of == PAIR ? 2 : 3;
	return 0;
}
int PMPI_Comm_rank(int of, int *rank)
{
	*rank = of == WORLD;
	return 0;
}
int PMPI_Comm_test_inter(int of, int *inter)
{
	(void)of;
	*inter = 0;
	return 0;
}
int PMPI_Comm_group(int of, int *group)
{
	*group = of;
	return 0;
}
int PMPI_Group_free(int *group)
{
	*group = 0;
	return 0;
}
int PMPI_Group_translate_ranks(int from, int count, const int *rank, int to, int *out)
{
	(void)to;
	for (int i = 0; i < count; i++)
		out[i] = from == PAIR ? rank[i] + 1 : rank[i];
	return 0;
}
int PMPI_Type_size(int type, int *size)
{
	*size = type;
	return 0;
}
int PMPI_Send(const void *data, int count, int type, int to, int tag, int of)
{
	(void)data, (void)count, (void)type, (void)to, (void)tag, (void)of;
	return 0;
}
static void comes_from(int *status, int source, int tag)
{
	if ((uintptr_t)status <= 1)
		return;
	status[STATUS_SOURCE] = source;
	status[STATUS_TAG] = tag;
}
int PMPI_Recv(void *data, int count, int type, int from, int tag, int of, int *status)
{
	(void)data, (void)count, (void)type, (void)of;
	comes_from(status, from < 0 ? 2 : from, tag < 0 ? 40 : tag);
	return 0;
}
int PMPI_Irecv(void *data, int count, int type, int from, int tag, int of, int *request)
{
	static int requests = 100;

	(void)data, (void)count, (void)type, (void)from, (void)tag, (void)of;
	*request = ++requests;
	return 0;
}
int PMPI_Isend(const void *data, int count, int type, int to, int tag, int of, int *request)
{
	return PMPI_Irecv((void *)(uintptr_t)data, count, type, to, tag, of, request);
}
int PMPI_Waitall(int count, int *request, int *status)
{
	for (int i = 0; i < count; i++) {
		request[i] = 0;
		comes_from(status + 5 * i, 0, 41);
	}
	return 0;
}
int PMPI_Test(int *request, int *flag, int *status)
{
	(void)request, (void)status;
	*flag = 0;
	return 0;
}
int PMPI_Barrier(int of)
{
	(void)of;
	return 0;
}
int PMPI_Bcast(void *data, int count, int type, int root, int of)
{
	(void)data, (void)count, (void)type, (void)root, (void)of;
	return 0;
}
