/* SPDX-License-Identifier: MIT
 * A library that stands in for cuBLAS where GPUs' memory is the host's: the product of two matrices
 * as they are (neither transposed), done before the call returns.
 */
int cublasCreate_v2(void **handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasDgemm_v2(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
		   const double *alpha, const double *a, int a_stride, const double *b,
		   int b_stride, const double *beta, double *c, int c_stride);

enum { INVALID = 7 };

int cublasCreate_v2(void **handle)
{
	static int only;
	*handle = &only;
	return 0;
}

int cublasSetStream_v2(void *handle, void *stream)
{
	(void)handle;
	(void)stream;
	return 0;
}

int cublasDgemm_v2(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
		   const double *alpha, const double *a, int a_stride, const double *b,
		   int b_stride, const double *beta, double *c, int c_stride)
{
	(void)handle;
	if (transpose_a || transpose_b || m <= 0 || n <= 0 || k <= 0 || a_stride < m ||
	    b_stride < k || c_stride < m)
		return INVALID;
	for (long j = 0; j < n; j++) {
		double *column = c + j * c_stride;
		for (int i = 0; i < m; i++)
			column[i] = *beta < 0 || *beta > 0 ? *beta * column[i] : 0;
		for (long g = 0; g < k; g++) {
			const double factor = *alpha * b[j * b_stride + g];
			for (int i = 0; i < m; i++)
				column[i] += a[g * a_stride + i] * factor;
		}
	}
	return 0;
}
