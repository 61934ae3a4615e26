// Products of small matrices, for the orientation of a sensor.
//
// fault 1, bounds, input 1 2 3 4 5 6 7 8 9: the inner loop runs to the number of rows of a larger matrix
// fault 2, overflow, input 100000 0 0 0 0 0 0 0 0: the entries are not limited
// fault 3, bounds, input 0 0 0 0 0 0 0 0 0: the trace has one entry too many
// fault 4, assert, input 1 2 3 4 5 6 7 8 9: rows and columns are exchanged
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#define N 3

static void multiply(int a[N][N], int b[N][N], int result[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++) //@1 for (int k = 0; k < N + 1; k++)
                sum += a[i][k] * b[k][j]; //!1 //!2
            result[i][j] = sum;
        }
}

int main(void)
{
    int a[N][N], identity[N][N] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, square[N][N], same[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int entry = __VERIFIER_nondet_int();
            if (entry < -100 || entry > 100) //@2 if (entry < -100 || entry > 100000)
                entry = 1;
            a[i][j] = entry;
        }
    multiply(a, a, square);
    multiply(a, identity, same);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert(same[i][j] == a[i][j]); //@4 assert(same[i][j] == a[j][i]);
    int trace = 0;
    for (int i = 0; i < N; i++) //@3 for (int i = 0; i <= N; i++)
        trace += square[i][i]; //!2 //!3
    return trace;
}
