/* SPDX-License-Identifier: MIT
 * As much of MPI as small programs on one host need, where there is none. Ranks are started by
 * hand: each with OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE and STANDIN_MPI, a file all of them
 * share.
 */
#ifndef WARPREEL_STANDIN_MPI_H
#define WARPREEL_STANDIN_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Info;
enum { MPI_SUCCESS, MPI_COMM_WORLD = 1, MPI_COMM_TYPE_SHARED = 1, MPI_INFO_NULL = 0 };
enum { MPI_BYTE = 1, MPI_INT, MPI_FLOAT, MPI_DOUBLE };
enum { MPI_SUM = 1, MPI_MIN, MPI_MAX };
enum { MPI_MAX_ERROR_STRING = 64 };

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm of, int *rank);
int MPI_Comm_size(MPI_Comm of, int *size);
int MPI_Comm_split_type(MPI_Comm of, int type, int key, MPI_Info info, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *of);
int MPI_Barrier(MPI_Comm of);
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm of);
int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op operation,
		  MPI_Comm of);
double MPI_Wtime(void);
int MPI_Error_string(int error, char *text, int *length);

#ifdef __cplusplus
}
#endif
#endif
